// Contacts of many accounts, as the lanes of workflows read, lock and change them. All functions run
// as the worker role.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/data.h"
#include "pg/group.h"
#include "pg/result.h"
#include "resources/contact_fields/field_set.h"
#include "resources/contacts/contact.h"

namespace shopbell::contacts {

using AccountContact = std::pair<std::int64_t, Uuid>;

// One of neither means that the contact was erased.
struct LaneContact {
  AccountContact key;
  std::optional<Contact> contact;
  std::optional<Uuid> merged_into;
};
void read_lane_contacts(pg::Group& reads, std::span<const AccountContact> keys);
std::vector<LaneContact> found_lane_contacts(const pg::Result& result);

// Locks contacts without waiting. The result has those that it locked, as they are now.
void lock_lane_contacts(pg::Group& locks, std::span<const AccountContact> keys);
std::vector<std::pair<AccountContact, Contact>> locked_lane_contacts(const pg::Result& result);

// The contact as clients see it, for conditions.
engine::Data shown_contact(Contact contact, const contact_fields::FieldSet& fields);

}  // namespace shopbell::contacts

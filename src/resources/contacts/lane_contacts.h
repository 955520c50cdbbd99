// Contacts of many accounts, as the lanes of workflows read, lock and change them. All functions
// run as the worker role.
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
#include "resources/contacts/contact_change.h"
#include "resources/contacts/named_contact.h"

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

// A change of a locked contact by a step.
struct LaneChange {
  Contact contact;    // as locked
  std::string patch;  // JSON merge patch
};
// The changes of one account. The caller reads the marks of `hashes` before write().
class LaneChanges {
 public:
  // `known` lacks the marks. It must outlive this object.
  LaneChanges(Knowledge known, std::vector<LaneChange> changes);

  // Reads the suppressions and erasures of the contacts' addresses; one result.
  void read(pg::Group& reads) const;
  // Adds the rows and events. A member that the contact cannot have is left out; the names of the
  // contacts' ids with such members are returned.
  std::vector<Uuid> write(const pg::Result& marks, pg::Group& effect);

 private:
  struct Sent {
    Contact contact;
    Patch patch;
    json::Reading reading{json::Strictness::lenient};
    std::vector<Sha256> hashes;
    std::optional<std::string> phone;
    bool is_refused = false;
  };
  std::vector<Sha256> all_hashes() const;

  Knowledge known_;
  std::vector<Sent> sent_;
};

// The contact as clients see it, for conditions.
engine::Data shown_contact(Contact contact, const contact_fields::FieldSet& fields);

}  // namespace shopbell::contacts

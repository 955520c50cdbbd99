// Database access for contacts. Only this file uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/contacts/contact.h"
#include "resources/contacts/contact_change.h"
#include "resources/contacts/marks.h"

namespace shopbell::contacts {

// An identifier of a contact.
struct Key {
  enum class Kind { email, external_id, id } kind;
  std::string value;  // case-folded if it is an e-mail address
};

// A contact, and the version of the account's fields when it was read.
struct Found {
  Contact contact;
  std::int64_t fields_version = 0;
};

boost::asio::awaitable<std::optional<Found>> find_contact(pg::Pool& database, pg::Scope scope,
                                                          Key key);

// Returns all ids of a person: the contact's own and those merged into it. `id` may be any of
// them. Empty if there is no such contact.
boost::asio::awaitable<std::vector<Uuid>> find_person(pg::Pool& database, pg::Scope scope, Uuid id);

// The identifiers of the contacts that a write reads and locks.
struct Keys {
  std::vector<std::string> emails;  // case-folded e-mail addresses
  std::vector<std::string> external_ids;
  std::vector<Uuid> ids;
};
void read_contacts(pg::Group& reads, std::int64_t account, const Keys& keys);
void read_contact(pg::Group& reads, std::int64_t account, const Uuid& id);
std::vector<Contact> found_contacts(const pg::Result& result);
void lock_contacts(pg::Group& locks, std::int64_t account, const Keys& keys);

void read_marks(pg::Group& reads, std::int64_t account, const std::vector<Sha256>& hashes);
void read_knowledge(pg::Group& reads, std::int64_t account);
struct StoreKnowledge {
  Instant now;
  std::string country;
  std::int64_t fields_version = 0;
  std::string currency;
};
StoreKnowledge found_knowledge(const pg::Result& result);

// Guarded writes: each raises a conflict (SB001) if the rows changed after they were read.
void write_change(pg::Group& effect, const Change& change, const Knowledge& known);
void erase(pg::Group& effect, const Contact& contact, const Knowledge& known);

// The suppressions to write together with the changes of many contacts.
struct SuppressionChanges {
  std::vector<Suppression> set;
  std::vector<Suppression> lifted;
};
// Writes changes of different contacts, none of them a merge, in a few statements. Moves the events
// out of the changes.
void write_changes(pg::Group& effect, std::span<Change* const> changes,
                   const SuppressionChanges& suppressions, const Knowledge& known);

// A filter of the contact list, by a tag, a subscription or an indexed field.
struct Facet {
  std::int64_t kind = 0;  // a field's number, kTagFacet or kSubscriptionFacet
  std::string value;
  bool or_absent = false;  // also matches contacts without a value of this kind
};
inline constexpr std::int64_t kTagFacet = 0;
inline constexpr std::int64_t kSubscriptionFacet = -1;
std::string facet_value(std::string_view text);

struct Listing {
  std::optional<Uuid> after;
  bool ascending = false;
  std::int64_t limit = 0;
  std::optional<std::string> prefix;  // search key: start of an e-mail address or name
  std::vector<Facet> facets;
  std::optional<Instant> updated_after;
};
boost::asio::awaitable<std::vector<Found>> list_contacts(pg::Pool& database, pg::Scope scope,
                                                         Listing listing);

}  // namespace shopbell::contacts

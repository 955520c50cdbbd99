// Decides a change of a purchase: its new state, the changes of its contacts' totals, and the
// events. Nothing here queries the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resources/contacts/contact_change.h"
#include "resources/contacts/named_contact.h"
#include "resources/purchases/purchase.h"

namespace shopbell::purchases {

// A stored purchase, and the first and last time of its contact's other purchases.
struct Stored {
  Purchase purchase;
  std::optional<Instant> others_first;
  std::optional<Instant> others_last;
};

struct Change {
  Purchase before;
  Purchase after;
  std::vector<contacts::Change> people;  // contacts whose totals change; the buyer is last
  std::vector<events::Event> events;     // only for a purchase without a contact
};

// The inputs of a decision besides the sent purchase.
struct Knowledge {
  contacts::Knowledge contacts;
  std::optional<Stored> stored;
  std::vector<contacts::Contact> found;    // the contacts that `contact{}` identifies
  std::optional<contacts::Contact> owner;  // the contact of the stored purchase
  contacts::NamingWish wish;
};

// Returns a hash of the sent members, without defaults and `sourceUpdatedAt`. An equal hash means
// that the same purchase was sent again.
Sha256 content_hash(const json::Value& body, const Purchase& sent,
                    const contacts::AddressHasher& hasher);

// Checks the rules that involve several members. Warns if sums do not add up.
void settle(json::Reading& reading, Purchase& sent);

// Creates the purchase or replaces the stored one.
Change decide_write(json::Reading& reading, Purchase sent, const Knowledge& known);

// Deletes the stored purchase.
Change decide_deletion(const Stored& stored, const std::optional<contacts::Contact>& owner,
                       const contacts::Knowledge& known);

}  // namespace shopbell::purchases

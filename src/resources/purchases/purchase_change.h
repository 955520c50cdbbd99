// A change of a purchase, decided: what it is from now on, what it changes of the people concerned,
// and which events tell of it. Nothing here asks the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resources/contacts/contact_change.h"
#include "resources/contacts/named_contact.h"
#include "resources/purchases/purchase.h"

namespace shopbell::purchases {

// A purchase as it is kept, and the first and last time of the others of its contact.
struct Stored {
  Purchase purchase;
  std::optional<Instant> others_first;
  std::optional<Instant> others_last;
};

struct Change {
  Purchase before;
  Purchase after;
  std::vector<contacts::Change> people;  // whose totals it changes; the buyer last
  std::vector<events::Event> events;     // of a purchase without a person
};

// What has to be known to decide.
struct Knowledge {
  contacts::Knowledge contacts;
  std::optional<Stored> stored;
  std::vector<contacts::Contact> found;    // whom `contact{}` names
  std::optional<contacts::Contact> owner;  // whose the stored purchase is
  contacts::NamingWish wish;
};

// What was sent, as it is compared with what was sent before: without defaults, and without the
// time at which the store changed it.
Sha256 content_hash(const json::Value& body, const Purchase& sent,
                    const contacts::AddressHasher& hasher);

// Rules between members, and what of the sums is odd: that is only a warning.
void settle(json::Reading& reading, Purchase& sent);

// A new purchase, or one that replaces what is stored.
Change decide_write(json::Reading& reading, Purchase sent, const Knowledge& known);

// A purchase that is taken away.
Change decide_deletion(const Stored& stored, const std::optional<contacts::Contact>& owner,
                       const contacts::Knowledge& known);

}  // namespace shopbell::purchases

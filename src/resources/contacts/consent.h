// Consent: who may be written to. The person's own latest choice holds, whatever a store's nightly
// synchronisation says about it: who has unsubscribed is subscribed again only by a proof that is
// later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/reading.h"
#include "resources/contacts/contact.h"
#include "resources/contacts/marks.h"

namespace shopbell::contacts {

// What a request says about the channels.
struct ConsentWish {
  std::vector<Consent> entries;
  // A subscription named on its own, without a proof; by channel as in kChannels.
  std::array<std::optional<std::string>, kChannels.size()> plain;
  Instant at;          // of whatever has no time of its own
  bool stale = false;  // from an outdated write: only entries and unsubscribing count
};

// What comes of it, besides the contact's subscriptions.
struct ConsentOutcome {
  std::vector<Consent> recorded;       // for the history
  std::vector<Suppression> displaced;  // of addresses the contact no longer has
  std::vector<Suppression> lifted;     // that a later proof ends
};

// `before` is the contact as it was, `contact` with its new addresses.
ConsentOutcome decide_consent(json::Reading& reading, const Contact& before, Contact& contact,
                              const ConsentWish& wish, const Marks& marks,
                              const AddressHasher& hasher);

// The suppressions that an address of the contact leaves behind.
std::vector<Suppression> suppressions_of(const Contact& contact, const AddressHasher& hasher);

// The history with more entries, newest first, as many as are shown.
std::vector<Consent> history_with(std::vector<Consent> history, const std::vector<Consent>& more);

}  // namespace shopbell::contacts

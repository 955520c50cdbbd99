// Consent: decides each channel's subscription. The person's latest choice wins over a store's
// nightly sync: an unsubscribed contact is subscribed again only by a later consent entry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/reading.h"
#include "resources/contacts/contact.h"
#include "resources/contacts/marks.h"

namespace shopbell::contacts {

// The consent entries and subscriptions that a write contains.
struct ConsentRequest {
  std::vector<Consent> entries;
  // `emailSubscription` and `smsSubscription`, sent without proof; indexed like kChannels.
  std::array<std::optional<std::string>, kChannels.size()> plain;
  Instant at;          // default time of entries and subscriptions without one
  bool stale = false;  // the write is outdated: only entries and unsubscribing apply
};

// The rows to write in addition to the contact's own subscriptions.
struct ConsentOutcome {
  std::vector<Consent> recorded;       // entries to append to the history
  std::vector<Suppression> displaced;  // suppressions to keep for the contact's former addresses
  std::vector<Suppression> lifted;     // suppressions to delete: a later proof overrides them
};

// `before` is the stored contact. `contact` has the new addresses; this sets its subscriptions.
ConsentOutcome decide_consent(json::Reading& reading, const Contact& before, Contact& contact,
                              const ConsentRequest& request, const Marks& marks,
                              const AddressHasher& hasher);

// Returns a suppression for each unsubscribed address of the contact; suppressions outlive it.
std::vector<Suppression> suppressions_of(const Contact& contact, const AddressHasher& hasher);

// Adds entries to the history, and keeps the newest kConsentsShown of them, newest first.
std::vector<Consent> history_with(std::vector<Consent> history, const std::vector<Consent>& more);

}  // namespace shopbell::contacts

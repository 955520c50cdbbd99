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
  Instant at;          // the time of entries and subscriptions sent without one
  bool stale = false;  // from an outdated write: only entries and unsubscribing apply
};

// Everything to write besides the contact's own subscriptions.
struct ConsentOutcome {
  std::vector<Consent> recorded;       // new entries of the history
  std::vector<Suppression> displaced;  // to keep, of addresses the contact no longer has
  std::vector<Suppression> lifted;     // to delete: a later proof overrides them
};

// `before` is the stored contact. `contact` has its new addresses; its subscriptions are set here.
ConsentOutcome decide_consent(json::Reading& reading, const Contact& before, Contact& contact,
                              const ConsentRequest& request, const Marks& marks,
                              const AddressHasher& hasher);

// A suppression for each address of the contact that is unsubscribed; they outlive the contact.
std::vector<Suppression> suppressions_of(const Contact& contact, const AddressHasher& hasher);

// Adds entries to the history; keeps the newest kConsentsShown, newest first.
std::vector<Consent> history_with(std::vector<Consent> history, const std::vector<Consent>& more);

}  // namespace shopbell::contacts

#include "resources/contacts/consent.h"

#include <algorithm>
#include <tuple>

#include "base/limits.h"

namespace shopbell::contacts {

namespace {

constexpr std::string_view kPlainSource = "api";

bool is_same_entry(const Consent& a, const Consent& b) {
  return a.channel == b.channel && a.status == b.status && a.at == b.at;
}

std::optional<Suppression> suppression_of(const Contact& contact, const Channel& channel,
                                          const AddressHasher& hasher) {
  const auto& address = contact.*channel.address;
  if (!address || contact.*channel.subscription != kUnsubscribed) return std::nullopt;
  return Suppression{std::string{channel.name}, hasher.address(channel, *address), "unsubscribed",
                     (contact.*channel.decided_at).value_or(contact.updated_at)};
}

// False for entries that decide_plain() recorded: they are subscriptions sent without proof.
bool is_proof(const Consent& entry) {
  return entry.source != kPlainSource || entry.ip || entry.user_agent || entry.wording ||
         entry.method;
}

std::optional<Instant> last_proof(const Contact& contact, const Channel& channel) {
  std::optional<Instant> last;
  for (const auto& entry : contact.consent) {
    if (entry.channel == channel.name && is_proof(entry)) last = std::max(last, entry.at);
  }
  return last;
}

// Applies the decisions about one channel in order.
class ChannelDecision {
 public:
  ChannelDecision(Contact& contact, const Channel& channel, const Suppression* held,
                  std::optional<Instant> proven_at)
      : channel_{channel},
        proven_at_{proven_at},
        status_{contact.*channel.subscription},
        decided_at_{contact.*channel.decided_at},
        complained_{held != nullptr && held->reason == "complained"} {}

  // The latest decision wins. Of two decisions at the same time, unsubscribing wins. A subscription
  // without proof never blocks unsubscribing: a sync may send it before the person's own choice.
  bool take(std::string_view status, Instant at) {
    const bool leaves = status == kUnsubscribed;
    const bool unproven = status_ != kUnsubscribed && (!proven_at_ || at >= *proven_at_);
    const bool later =
        !decided_at_ || at > *decided_at_ || (leaves && (at == *decided_at_ || unproven));
    if (!later || (complained_ && !leaves)) return false;
    status_ = status;
    decided_at_ = at;
    proven_at_ = std::max(proven_at_, decided_at_);
    return true;
  }

  void inherit(const Suppression& suppression) {
    if (!complained_ && decided_at_ && suppression.at < *decided_at_) return;
    status_ = kUnsubscribed;
    decided_at_ = suppression.at;
  }

  // Applies a status sent without proof: it can unsubscribe, but never undo an unsubscribe.
  bool take_plain(const std::string& status, Instant at) {
    if (status == kUnsubscribed) return take(status, at);
    if (status_ == kUnsubscribed || (decided_at_ && at < *decided_at_)) return false;
    status_ = status;
    decided_at_ = at;
    return true;
  }

  const Channel& channel() const { return channel_; }
  const std::string& status() const { return status_; }

 private:
  const Channel& channel_;
  std::optional<Instant> proven_at_;
  std::string& status_;
  std::optional<Instant>& decided_at_;
  const bool complained_;
};

void refuse_future(json::Reading& reading, const ConsentRequest& request, Instant latest) {
  const json::Reading::Place list{reading, "consent"};
  for (std::size_t i = 0; i < request.entries.size(); ++i) {
    if (request.entries[i].at.value_or(latest) <= latest) continue;
    const json::Reading::Place entry{reading, std::to_string(i)};
    const json::Reading::Place at{reading, "at"};
    reading.refuse("out-of-range", "Must not be in the future.");
  }
}

// Returns the sent entries of the channel that are not in the history yet, oldest first.
std::vector<Consent> new_entries(const Contact& before, const ConsentRequest& request,
                                 const Channel& channel) {
  std::vector<Consent> entries;
  for (Consent entry : request.entries) {
    if (entry.channel != channel.name) continue;
    entry.at = entry.at.value_or(request.at);
    const auto same = [&](const Consent& held) { return is_same_entry(held, entry); };
    if (std::ranges::any_of(before.consent, same) || std::ranges::any_of(entries, same)) continue;
    entries.push_back(std::move(entry));
  }
  std::ranges::stable_sort(entries, {}, &Consent::at);
  return entries;
}

void warn_unproven(json::Reading& reading, const Channel& channel) {
  const json::Reading::Place place{reading, channel.subscription_member};
  reading.warn(
      "consent-needs-proof",
      "The contact has unsubscribed. To subscribe it again, send a later `consent` entry.");
}

void decide_plain(json::Reading& reading, ChannelDecision& decision, const ConsentRequest& request,
                  const std::string& wanted, ConsentOutcome& outcome) {
  if (wanted == decision.status()) return;
  if (request.stale && wanted != kUnsubscribed) return;
  if (decision.take_plain(wanted, request.at)) {
    outcome.recorded.push_back({.channel = std::string{decision.channel().name},
                                .status = wanted,
                                .at = request.at,
                                .source = std::string{kPlainSource}});
  } else if (decision.status() == kUnsubscribed) {
    warn_unproven(reading, decision.channel());
  }
}

}  // namespace

ConsentOutcome decide_consent(json::Reading& reading, const Contact& before, Contact& contact,
                              const ConsentRequest& request, const Marks& marks,
                              const AddressHasher& hasher) {
  ConsentOutcome outcome;
  refuse_future(reading, request, contact.updated_at + limits::kClockSkew);
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    const Channel& channel = kChannels[i];
    const auto& address = contact.*channel.address;
    const bool moved = before.*channel.address != address;
    if (moved) {
      if (auto left = suppression_of(before, channel, hasher)) outcome.displaced.push_back(*left);
    }
    const Suppression* held =
        address ? marks.suppression(channel, hasher.address(channel, *address)) : nullptr;
    ChannelDecision decision{contact, channel, held, last_proof(before, channel)};
    if (moved && held != nullptr) decision.inherit(*held);
    for (auto& entry : new_entries(before, request, channel)) {
      const bool taken = decision.take(entry.status, *entry.at);
      if (!taken && entry.status == kSubscribed && decision.status() == kUnsubscribed)
        warn_unproven(reading, channel);
      outcome.recorded.push_back(std::move(entry));
    }
    if (request.plain[i]) decide_plain(reading, decision, request, *request.plain[i], outcome);
    if (held != nullptr && decision.status() == kSubscribed) outcome.lifted.push_back(*held);
  }
  return outcome;
}

std::vector<Suppression> suppressions_of(const Contact& contact, const AddressHasher& hasher) {
  std::vector<Suppression> all;
  for (const auto& channel : kChannels) {
    if (auto one = suppression_of(contact, channel, hasher)) all.push_back(std::move(*one));
  }
  return all;
}

std::vector<Consent> history_with(std::vector<Consent> history, const std::vector<Consent>& more) {
  for (const auto& entry : more) {
    const auto same = [&](const Consent& held) { return is_same_entry(held, entry); };
    if (std::ranges::none_of(history, same)) history.push_back(entry);
  }
  std::ranges::sort(history, [](const Consent& a, const Consent& b) {
    return std::tie(b.at, a.channel, a.status) < std::tie(a.at, b.channel, b.status);
  });
  if (std::ssize(history) > limits::kConsentsShown)
    history.resize(static_cast<std::size_t>(limits::kConsentsShown));
  return history;
}

}  // namespace shopbell::contacts

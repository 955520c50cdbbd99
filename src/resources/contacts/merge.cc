#include "resources/contacts/merge.h"

#include <algorithm>
#include <array>
#include <limits>

#include "resources/contacts/consent.h"
#include "resources/contacts/contact_columns.h"

namespace shopbell::contacts {

namespace {

template <std::size_t Size>
std::size_t rank(const std::array<std::string_view, Size>& strictest_first, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(strictest_first, name) -
                                  strictest_first.begin());
}

void merge_channel(Contact& contact, const Contact& survivor, const Contact& other,
                   const Channel& channel) {
  constexpr std::array<std::string_view, 4> kStrictestFirst{"unsubscribed", "pending", "subscribed",
                                                            "none"};
  const bool other_address = other.*channel.address && survivor.*channel.address &&
                             survivor.*channel.address != other.*channel.address;
  const auto& theirs = other.*channel.subscription;
  const auto& ours = survivor.*channel.subscription;
  if (rank(kStrictestFirst, theirs) > rank(kStrictestFirst, ours)) return;
  if (theirs == ours) {
    if (other.*channel.decided_at > survivor.*channel.decided_at)
      contact.*channel.decided_at = other.*channel.decided_at;
    return;
  }
  if (theirs == kSubscribed && other_address) return;
  contact.*channel.subscription = theirs;
  contact.*channel.decided_at = other.*channel.decided_at;
}

void merge_status(std::string& ours, const std::string& theirs) {
  constexpr std::array<std::string_view, 4> kStrictestFirst{"complained", "bounced", "paused",
                                                            "active"};
  if (rank(kStrictestFirst, theirs) < rank(kStrictestFirst, ours)) ours = theirs;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t total = 0;
  if (!__builtin_add_overflow(a, b, &total)) return total;
  return a > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

Contact merged(const Contact& survivor, const Contact& other) {
  Contact contact = survivor;
  for (const auto& [column, member] : text_members()) {
    if (!(contact.*member)) contact.*member = other.*member;
  }
  for (const auto& tag : other.tags) {
    if (!std::ranges::contains(contact.tags, tag)) contact.tags.push_back(tag);
  }
  contact.points = sum(survivor.points, other.points);
  contact.purchases.merge(other.purchases);
  contact.values.insert(other.values.begin(), other.values.end());
  for (const auto& channel : kChannels) merge_channel(contact, survivor, other, channel);
  merge_status(contact.email_status, other.email_status);
  merge_status(contact.phone_status, other.phone_status);
  contact.consent = history_with(survivor.consent, other.consent);
  contact.source_updated_at = std::max(survivor.source_updated_at, other.source_updated_at);
  return contact;
}

}  // namespace shopbell::contacts

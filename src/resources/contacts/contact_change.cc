#include "resources/contacts/contact_change.h"

#include <algorithm>
#include <array>
#include <format>

#include "base/identity.h"
#include "events/event_kinds.h"
#include "json/difference.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/merge.h"

namespace shopbell::contacts {

namespace {

using json::Reading;

void settle_phone(Reading& reading, const Contact& before, Contact& after, const Knowledge& known) {
  if (!after.phone || after.phone == before.phone) return;
  const std::string& country = known.store_country;
  const std::size_t faults = reading.fault_count();
  auto phone = known.phone ? known.phone : to_e164(*after.phone, country);
  if (!phone) {
    reading.refuse_at(
        "phone", "invalid-format",
        country.empty()
            ? "Must be a phone number with its country code, such as +43 664 1234567."
            : std::format("Must be a phone number with its country code, or one of {}.", country));
    reading.tolerate_since(faults);
    after.phone = before.phone;
    return;
  }
  after.phone = std::move(phone);
}

void settle_points(Reading& reading, Contact& after) {
  if (!after.sent_points) return;
  if (__builtin_add_overflow(after.points, *after.sent_points, &after.points))
    reading.refuse_at("points", "out-of-range", "The sum of points is too large.");
  after.sent_points.reset();
}

// Only the service sets and clears `bounced` and `complained`; a store cannot.
void settle_status(Reading& reading, std::string_view member, const std::string& before,
                   std::string& after) {
  const auto is_own = [](std::string_view status) {
    return status == "bounced" || status == "complained";
  };
  if (before == after || (!is_own(before) && !is_own(after))) return;
  const std::size_t faults = reading.fault_count();
  reading.refuse_at(member, is_own(after) ? "not-an-option" : "read-only",
                    "Only the service sets and clears `bounced` and `complained`.");
  reading.tolerate_since(faults);
  after = before;
}

void settle(Reading& reading, const Contact& before, Contact& after, const Knowledge& known) {
  after.email_key = after.email ? email_key(*after.email) : std::nullopt;
  if (!after.email && !after.external_id)
    reading.refuse_at(before.email ? "email" : "externalId", "required",
                      "A contact needs an e-mail address or an external id.");
  settle_phone(reading, before, after, known);
  settle_points(reading, after);
  settle_status(reading, "emailStatus", before.email_status, after.email_status);
  settle_status(reading, "phoneStatus", before.phone_status, after.phone_status);
  if (!before.exists()) fill_defaults(*known.fields, after);
  settle_fields(reading, *known.fields, after);
}

// Takes the subscriptions and consent entries out of the patched contact. decide_consent() decides
// later which of them apply.
ConsentRequest consent_request_of(const Contact& start, Contact& after,
                                  const json::Changes<Contact>& patch, const Knowledge& known) {
  ConsentRequest request{.entries = std::move(after.sent_consent),
                         .at = to_milliseconds(known.decided_at.value_or(known.now))};
  // Limit the time to now: the store's clock may be ahead, but a choice cannot be in the future.
  if (patch.names("sourceUpdatedAt") && after.source_updated_at)
    request.at = std::min(request.at, to_milliseconds(*after.source_updated_at));
  after.sent_consent.clear();
  for (auto& entry : request.entries) entry.at = entry.at.transform(to_milliseconds);
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    const Channel& channel = kChannels[i];
    if (patch.names(channel.subscription_member)) request.plain[i] = after.*channel.subscription;
    after.*channel.subscription = start.*channel.subscription;
  }
  return request;
}

json::Difference difference_of(const Contact& before, const Contact& after) {
  static const json::Difference::Rules rules{
      .silent = {"id", "consent", "purchases", "sourceUpdatedAt", "createdAt", "updatedAt"},
      .nested = {"fields"}};
  return json::Difference{contact_json().members(before, rules.silent),
                          contact_json().members(after, rules.silent), rules};
}

events::Event event_of(const Contact& contact, std::string kind, std::string payload,
                       std::int64_t sequence, const Knowledge& known) {
  return {.uid = Uuid::v7(known.now),
          .lane = contact.lane,
          .contact_id = contact.id,
          .contact_seq = sequence,
          .kind = std::move(kind),
          .occurred_at = known.now,
          .trigger = known.trigger,
          .hops = known.hops,
          .payload = std::move(payload)};
}

// Numbers the events of one contact in the order in which they are added.
class EventAppender {
 public:
  EventAppender(Contact& contact, const Knowledge& known, std::vector<events::Event>& events)
      : contact_{contact}, known_{known}, events_{events} {}

  void append(std::string kind, std::string payload) {
    events_.push_back(
        event_of(contact_, std::move(kind), std::move(payload), ++contact_.event_seq, known_));
  }

 private:
  Contact& contact_;
  const Knowledge& known_;
  std::vector<events::Event>& events_;
};

std::string source_of(const Change& change, const Channel& channel) {
  const auto& recorded = change.consent.recorded;
  const auto found = std::ranges::find_if(recorded, [&](const Consent& entry) {
    return entry.channel == channel.name && entry.status == change.after.*channel.subscription;
  });
  if (found == recorded.end()) return "merge";
  return found->source.value_or("api");
}

std::string object_of(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  json::Writer writer;
  writer.begin_object();
  for (const auto& [name, text] : members) writer.key(name).text(text);
  writer.end();
  return writer.finish();
}

void append_events(Change& change, const Knowledge& known) {
  const Contact& before = change.before;
  Contact& after = change.after;
  EventAppender appender{after, known, change.events};
  for (const auto& other : change.merged) {
    appender.append("contact.merged",
                    object_of({{"from", other.id.to_string()}, {"into", after.id.to_string()}}));
    // The event tells consumers of the merged contact's id the new id, in the old contact's lane.
    change.events.push_back(event_of(other, std::string{events::kHandover},
                                     object_of({{"into", after.id.to_string()}}),
                                     other.event_seq + 1, known));
  }
  const json::Difference difference = difference_of(before, after);
  if (!difference.empty())
    appender.append(before.exists() ? "contact.updated" : "contact.created", difference.payload());
  for (const auto& channel : kChannels) {
    const std::string& status = after.*channel.subscription;
    if (status == before.*channel.subscription) continue;
    if (status != kSubscribed && status != kUnsubscribed) continue;
    appender.append("contact." + status, object_of({{"channel", std::string{channel.name}},
                                                    {"source", source_of(change, channel)}}));
  }
}

// Completes a decided change: suppressions, history, shown fields, events and the new version.
void conclude(Change& change, const Contact& start, const Knowledge& known) {
  Contact& after = change.after;
  for (const auto& other : change.merged) {
    for (auto& suppression : suppressions_of(other, known.hasher)) {
      const auto& channel = suppression.channel == kEmail.name ? kEmail : kSms;
      if (other.*channel.address != after.*channel.address)
        change.consent.displaced.push_back(std::move(suppression));
    }
  }
  after.consent = history_with(start.consent, change.consent.recorded);
  show_fields(*known.fields, change.before);
  show_fields(*known.fields, after);
  append_events(change, known);
  change.is_write = !change.events.empty() || !change.consent.recorded.empty() ||
                    after.source_updated_at != change.before.source_updated_at;
  if (!change.is_write) {
    after.updated_at = change.before.updated_at;
    return;
  }
  after.version = change.before.version + 1;
}

}  // namespace

Change decide_change(Reading& reading, const Contact& before, const std::vector<Contact>& others,
                     const json::Changes<Contact>& patch, const Knowledge& known) {
  std::optional<Contact> joined;
  for (const auto& other : others) joined = merged(joined ? *joined : before, other);
  const Contact& start = joined ? *joined : before;
  Change change{.before = before, .after = start, .merged = others};
  Contact& after = change.after;
  patch.apply_to(after);
  after.source_updated_at = after.source_updated_at
                                ? after.source_updated_at.transform(to_milliseconds)
                                : start.source_updated_at;
  if (patch.names("sourceUpdatedAt"))
    known.marks.refuse_older("this write", after.source_updated_at);
  known.marks.refuse_older("the file", known.decided_at);
  const bool stale = patch.names("sourceUpdatedAt") && start.source_updated_at &&
                     *after.source_updated_at < *start.source_updated_at;
  ConsentRequest request = consent_request_of(start, after, patch, known);
  request.stale = stale;
  if (stale) {
    after = start;
  } else {
    settle(reading, start, after, known);
  }
  if (!before.exists()) after.created_at = known.now;
  after.updated_at = known.now;
  change.consent = decide_consent(reading, start, after, request, known.marks, known.hasher);
  reading.finish();
  conclude(change, start, known);
  if (stale) change.applied = change.is_write ? Applied::consent : Applied::nothing;
  return change;
}

Change unchanged(const Contact& contact) { return {.before = contact, .after = contact}; }

void add_event(Change& change, const Knowledge& known, events::Event event) {
  Contact& after = change.after;
  event.uid = Uuid::v7(known.now);
  event.lane = after.lane;
  event.contact_id = after.id;
  event.contact_seq = ++after.event_seq;
  event.trigger = known.trigger;
  change.events.push_back(std::move(event));
  if (std::exchange(change.is_write, true)) return;
  after.version = change.before.version + 1;
  after.updated_at = known.now;
}

Change decide_merge(const Contact& before, const Contact& other, const Knowledge& known) {
  const Contact start = merged(before, other);
  Change change{.before = before, .after = start, .merged = {other}};
  change.after.updated_at = known.now;
  conclude(change, start, known);
  return change;
}

std::vector<events::Event> erasure_events(const Contact& contact, const Knowledge& known) {
  return {event_of(contact, "contact.deleted", "{}", contact.event_seq + 1, known)};
}

}  // namespace shopbell::contacts

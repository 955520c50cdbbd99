#include "resources/contacts/contact_change.h"

#include <algorithm>
#include <array>
#include <format>

#include "base/identity.h"
#include "resources/contacts/contact_json.h"
#include "resources/contacts/contact_values.h"
#include "resources/contacts/merge.h"

namespace shopbell::contacts {

namespace {

using json::Reading;

// As it is shown, so that what was read can be sent back and is still the same.
Instant to_milliseconds(Instant instant) {
  return std::chrono::floor<std::chrono::milliseconds>(instant);
}

void refuse_at(Reading& reading, std::string_view member, std::string_view code,
               std::string detail) {
  const Reading::Place place{reading, member};
  reading.refuse(code, std::move(detail));
}

void settle_phone(Reading& reading, const Contact& before, Contact& after,
                  const std::string& country) {
  if (!after.phone || after.phone == before.phone) return;
  const std::size_t faults = reading.fault_count();
  auto phone = to_e164(*after.phone, country);
  if (!phone) {
    refuse_at(
        reading, "phone", "invalid-format",
        country.empty()
            ? "Is not a phone number with its country, such as +43 664 1234567."
            : std::format("Is not a phone number, neither with its country nor of {}.", country));
    reading.tolerate_since(faults);
    after.phone = before.phone;
    return;
  }
  after.phone = std::move(phone);
}

void settle_points(Reading& reading, Contact& after) {
  if (!after.sent_points) return;
  if (__builtin_add_overflow(after.points, *after.sent_points, &after.points))
    refuse_at(reading, "points", "out-of-range", "The sum is too large.");
  after.sent_points.reset();
}

// Bounces and complaints are what the service has seen; a store cannot say otherwise.
void settle_status(Reading& reading, std::string_view member, const std::string& before,
                   std::string& after) {
  const auto is_own = [](std::string_view status) {
    return status == "bounced" || status == "complained";
  };
  if (before == after || (!is_own(before) && !is_own(after))) return;
  const std::size_t faults = reading.fault_count();
  refuse_at(reading, member, is_own(after) ? "not-an-option" : "read-only",
            "What the service itself has seen cannot be changed here.");
  reading.tolerate_since(faults);
  after = before;
}

void settle(Reading& reading, const Contact& before, Contact& after, const Knowledge& known) {
  after.email_key = after.email ? email_key(*after.email) : std::nullopt;
  if (!after.email && !after.external_id)
    refuse_at(reading, before.email ? "email" : "externalId", "required",
              "A contact needs an e-mail address or an external id.");
  settle_phone(reading, before, after, known.store_country);
  settle_points(reading, after);
  settle_status(reading, "emailStatus", before.email_status, after.email_status);
  settle_status(reading, "phoneStatus", before.phone_status, after.phone_status);
  if (!before.exists()) fill_defaults(*known.fields, after);
  settle_fields(reading, *known.fields, after);
}

// A patch may name the subscriptions; whether they change is for the consent to decide.
ConsentWish wish_of(const Contact& start, Contact& after, const json::Changes<Contact>& patch,
                    const Knowledge& known) {
  ConsentWish wish{.entries = std::move(after.sent_consent), .at = to_milliseconds(known.now)};
  // A store's clock may be ahead; nobody has decided in the future.
  if (patch.names("sourceUpdatedAt") && after.source_updated_at)
    wish.at = std::min(wish.at, to_milliseconds(*after.source_updated_at));
  after.sent_consent.clear();
  for (auto& entry : wish.entries) entry.at = entry.at.transform(to_milliseconds);
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    const Channel& channel = kChannels[i];
    if (patch.names(channel.subscription_member)) wish.plain[i] = after.*channel.subscription;
    after.*channel.subscription = start.*channel.subscription;
  }
  return wish;
}

bool is_noted(std::string_view member) {
  constexpr std::array<std::string_view, 5> kSilent{"id", "consent", "sourceUpdatedAt", "createdAt",
                                                    "updatedAt"};
  return !std::ranges::contains(kSilent, member);
}

// The members that differ, with both their values: {"changed":[…],"before":{…},"after":{…}}.
class Difference {
 public:
  Difference(const Contact& before, const Contact& after) {
    const auto old_members = contact_json().members(before);
    const auto new_members = contact_json().members(after);
    for (std::size_t i = 0; i < new_members.size(); ++i) {
      const auto& [name, value] = new_members[i];
      const std::string& old_value = old_members[i].second;
      if (!is_noted(name) || value == old_value) continue;
      name == "fields" ? add_fields(old_value, value) : add(name, name, old_value, value);
    }
    if (!old_fields_.empty() || !new_fields_.empty()) {
      before_.emplace_back("fields", to_object(old_fields_));
      after_.emplace_back("fields", to_object(new_fields_));
    }
  }

  bool empty() const { return changed_.empty(); }

  std::string payload() const {
    json::Writer writer;
    writer.begin_object().key("changed").begin_list();
    for (const auto& name : changed_) writer.text(name);
    writer.end();
    writer.key("before").json(to_object(before_));
    writer.key("after").json(to_object(after_));
    writer.end();
    return writer.finish();
  }

 private:
  using Members = std::vector<std::pair<std::string, std::string>>;

  static std::string to_object(const Members& members) {
    json::Writer writer;
    writer.begin_object();
    for (const auto& [name, value] : members) writer.key(name).json(value);
    writer.end();
    return writer.finish();
  }

  void add(std::string changed, const std::string& name, const std::string& old_value,
           const std::string& value) {
    changed_.push_back(std::move(changed));
    before_.emplace_back(name, old_value);
    after_.emplace_back(name, value);
  }

  void add_fields(const std::string& old_value, const std::string& value) {
    const auto old_document = json::Document::parse(old_value);
    const auto new_document = json::Document::parse(value);
    const auto note = [&](std::string_view id) {
      if (!std::ranges::contains(changed_, "fields." + std::string{id}))
        changed_.push_back("fields." + std::string{id});
    };
    const auto collect = [&](const json::Value& from, const json::Value& other, Members& into) {
      from.for_each([&](std::string_view id, const json::Value& field) {
        const auto theirs = other.member(id);
        if (theirs && theirs->to_json() == field.to_json()) return;
        note(id);
        into.emplace_back(id, field.to_json());
      });
    };
    collect(new_document->root(), old_document->root(), new_fields_);
    collect(old_document->root(), new_document->root(), old_fields_);
  }

  std::vector<std::string> changed_;
  Members before_;
  Members after_;
  Members old_fields_;
  Members new_fields_;
};

events::Event event_of(const Contact& contact, std::string kind, std::string payload,
                       std::int64_t sequence, const Knowledge& known) {
  return {.uid = Uuid::v7(known.now),
          .lane = contact.lane,
          .contact_id = contact.id,
          .contact_seq = sequence,
          .kind = std::move(kind),
          .occurred_at = known.now,
          .trigger = known.trigger,
          .payload = std::move(payload)};
}

// Numbers the events of one contact in the order in which they are added.
class Teller {
 public:
  Teller(Contact& contact, const Knowledge& known, std::vector<events::Event>& events)
      : contact_{contact}, known_{known}, events_{events} {}

  void tell(std::string kind, std::string payload) {
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

void tell(Change& change, const Knowledge& known) {
  const Contact& before = change.before;
  Contact& after = change.after;
  Teller teller{after, known, change.events};
  for (const auto& other : change.merged) {
    teller.tell("contact.merged",
                object_of({{"from", other.id.to_string()}, {"into", after.id.to_string()}}));
    // For whoever still acts on the other one.
    change.events.push_back(event_of(other, "handover", object_of({{"into", after.id.to_string()}}),
                                     other.event_seq + 1, known));
  }
  const Difference difference{before, after};
  if (!difference.empty())
    teller.tell(before.exists() ? "contact.updated" : "contact.created", difference.payload());
  for (const auto& channel : kChannels) {
    const std::string& status = after.*channel.subscription;
    if (status == before.*channel.subscription) continue;
    if (status != kSubscribed && status != kUnsubscribed) continue;
    teller.tell("contact." + status, object_of({{"channel", std::string{channel.name}},
                                                {"source", source_of(change, channel)}}));
  }
}

// What is left when everything is decided: what is written, told and shown.
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
  tell(change, known);
  change.is_write = !change.events.empty() || !change.consent.recorded.empty() ||
                    after.source_updated_at != change.before.source_updated_at;
  if (!change.is_write) {
    after.updated_at = change.before.updated_at;
    return;
  }
  after.version = change.before.version + 1;
}

void refuse_erased(const json::Changes<Contact>& patch, const Contact& after,
                   const Knowledge& known) {
  const auto erased_at = known.marks.erased_at();
  if (erased_at && patch.names("sourceUpdatedAt") && after.source_updated_at &&
      *after.source_updated_at < *erased_at)
    throw Problem{Code::contact_erased,
                  std::format("The person was erased at {}; this is from {}.",
                              to_rfc3339(*erased_at), to_rfc3339(*after.source_updated_at))};
}

}  // namespace

Change decide_change(Reading& reading, const Contact& before, const std::vector<Contact>& others,
                     const json::Changes<Contact>& patch, const Knowledge& known) {
  Contact start = before;
  for (const auto& other : others) start = merged(start, other);
  Change change{.before = before, .after = start, .merged = others};
  Contact& after = change.after;
  patch.apply_to(after);
  after.source_updated_at = after.source_updated_at
                                ? after.source_updated_at.transform(to_milliseconds)
                                : start.source_updated_at;
  refuse_erased(patch, after, known);
  const bool stale = patch.names("sourceUpdatedAt") && start.source_updated_at &&
                     *after.source_updated_at < *start.source_updated_at;
  ConsentWish wish = wish_of(start, after, patch, known);
  wish.stale = stale;
  if (stale) {
    after = start;
  } else {
    settle(reading, start, after, known);
  }
  if (!before.exists()) after.created_at = known.now;
  after.updated_at = known.now;
  change.consent = decide_consent(reading, start, after, wish, known.marks, known.hasher);
  reading.finish();
  conclude(change, start, known);
  if (stale) change.applied = change.is_write ? Applied::consent : Applied::nothing;
  return change;
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

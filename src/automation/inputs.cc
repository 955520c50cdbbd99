#include "automation/inputs.h"

#include <stdexcept>

#include "events/event.h"
#include "json/document.h"
#include "json/writer.h"

namespace shopbell::automation {

namespace {

using event_log::Entry;

json::Document parsed(std::string_view text) {
  auto document = json::Document::parse(text);
  if (!document) throw event_log::Objection{"the payload is not JSON"};
  return std::move(*document);
}

std::string text_in(const json::Value& value, std::string_view name) {
  const auto member = value.member(name);
  return member && member->type() == json::Type::text ? std::string{member->text()} : "";
}

std::int64_t integer_in(const json::Value& value, std::string_view name) {
  const auto member = value.member(name);
  return member && member->type() == json::Type::number
             ? std::stoll(std::string{member->number_text()})
             : 0;
}

Uuid uuid_of(std::string_view text) {
  const auto id = Uuid::parse(text);
  if (!id) throw event_log::Objection{"an id is not a UUID"};
  return *id;
}

Instant instant_of(std::string_view text) {
  const auto at = parse_rfc3339(text);
  if (!at) throw event_log::Objection{"a time is not RFC 3339"};
  return *at;
}

engine::Command command_of(const json::Value& payload) {
  using Kind = engine::Command::Kind;
  const std::string name = text_in(payload, "command");
  engine::Command command{.kind = name == "end"    ? Kind::end
                                  : name == "move" ? Kind::move
                                                   : Kind::release,
                          .why = text_in(payload, "why"),
                          .version = integer_in(payload, "version"),
                          .nodes = {}};
  if (const auto nodes = payload.member("nodes"))
    nodes->for_each([&](std::string_view from, const json::Value& to) {
      command.nodes.emplace(from, to.text());
    });
  return command;
}

// Collects the inputs of one batch.
class Collecting {
 public:
  explicit Collecting(const event_log::Work& work) : work_{work} {}

  void add(const Entry& entry);
  void add(const event_log::Timer& timer);
  Inputs finish() && { return std::move(inputs_); }

 private:
  void add(const Entry& entry, const Uuid& contact, decltype(Input::what) what) {
    inputs_[{entry.account, contact}].push_back(
        {.what = std::move(what),
         .now = entry.received_at,
         .hops = entry.hops,
         .before = {.tick = work_.tick, .through = work_.through, .id = entry.id}});
  }
  void add_commands(const Entry& entry, const json::Value& payload);
  void add_internal(const Entry& entry, const json::Value& payload);

  const event_log::Work& work_;
  Inputs inputs_;
};

void Collecting::add_commands(const Entry& entry, const json::Value& payload) {
  const engine::Command command = command_of(payload);
  if (entry.contact_id)
    return add(entry, *entry.contact_id,
               RunCommand{.run = uuid_of(text_in(payload, "runId")), .command = command});
  const auto runs = payload.member("runs");
  if (!runs) return;
  runs->for_each([&](std::string_view, const json::Value& run) {
    add(entry, uuid_of(text_in(run, "contactId")),
        RunCommand{.run = uuid_of(text_in(run, "runId")), .command = command});
  });
}

void Collecting::add_internal(const Entry& entry, const json::Value& payload) {
  if (entry.kind == kRunCommand) return add_commands(entry, payload);
  if (entry.kind == kScheduleStart) {
    const ScheduleStart start{
        .workflow = uuid_of(text_in(payload, "workflowId")),
        .version = integer_in(payload, "version"),
        .time = {.uid = entry.uid, .now = entry.received_at, .date = text_in(payload, "date")},
        .is_baseline = payload.member("baseline").value().boolean()};
    if (const auto contacts = payload.member("contacts"))
      contacts->for_each([&](std::string_view, const json::Value& contact) {
        add(entry, uuid_of(contact.text()), start);
      });
    return;
  }
  if (!entry.contact_id) return;
  if (entry.kind == kWake) {
    HappenedEvent woken{.event = engine_event_of(entry), .key = {}};
    const json::Value envelope = payload.member("event").value();
    woken.event.kind = text_in(envelope, "kind");
    woken.event.envelope = engine::Data{envelope.to_json()};
    payload.member("runIds").value().for_each([&](std::string_view, const json::Value& run) {
      woken.event.only.insert(uuid_of(run.text()));
    });
    add(entry, *entry.contact_id, std::move(woken));
  } else if (entry.kind == kForward) {
    HappenedEvent forwarded{.event = engine_event_of(entry),
                            .key = {},
                            .follows_merge = true,
                            .purchase = text_in(payload, "purchase")};
    const json::Value envelope = payload.member("event").value();
    forwarded.event.uid = uuid_of(text_in(envelope, "id"));
    forwarded.event.kind = text_in(envelope, "kind");
    forwarded.event.envelope = engine::Data{envelope.to_json()};
    forwarded.event.occurred_at = instant_of(text_in(envelope, "occurredAt"));
    add(entry, *entry.contact_id, std::move(forwarded));
  } else if (entry.kind == kAdopt) {
    Adoption adoption;
    payload.member("enrolments").value().for_each([&](std::string_view, const json::Value& one) {
      engine::Enrolment enrolment{.workflow = uuid_of(text_in(one, "workflowId")),
                                  .key = text_in(one, "key"),
                                  .run = uuid_of(text_in(one, "runId")),
                                  .started_at = instant_of(text_in(one, "startedAt")),
                                  .ended_at = instant_of(text_in(one, "endedAt")),
                                  .seen = seen_from_text(text_in(one, "seen"))};
      adoption.enrolments.push_back(std::move(enrolment));
    });
    add(entry, *entry.contact_id, std::move(adoption));
  } else if (entry.kind == "handover") {
    add(entry, *entry.contact_id, Handover{uuid_of(text_in(payload, "into"))});
  } else if (entry.kind == engine::kDeliveryEnded) {
    add(entry, *entry.contact_id, HappenedEvent{.event = engine_event_of(entry), .key = {}});
  }
}

void Collecting::add(const Entry& entry) {
  const bool is_internal = !entry.kind.contains('.');
  if (is_internal && entry.payload) {
    const auto document = parsed(*entry.payload);
    return add_internal(entry, document.root());
  }
  if (!entry.contact_id) return;
  // A handover without its payload: the other contact was erased, and this one with it.
  if (entry.kind == "contact.deleted" || entry.kind == "handover")
    return add(entry, *entry.contact_id, Erasure{});
  if (is_internal || !entry.payload) return;  // the contact was erased meanwhile
  add(entry, *entry.contact_id,
      HappenedEvent{.event = engine_event_of(entry),
                    .key = EventKey{entry.received_at, entry.id},
                    .follows_merge = true,
                    .purchase = purchase_of(entry)});
}

void Collecting::add(const event_log::Timer& timer) {
  Input input{.what = FiredTimer{.run = timer.owner, .due_at = timer.due_at},
              .now = work_.now,
              .before = {.tick = work_.tick, .through = {}, .id = 0}};
  if (work_.objection) input.what = Failure{.run = timer.owner, .why = *work_.objection};
  inputs_[{timer.account, timer.contact}].push_back(std::move(input));
}

}  // namespace

engine::Event engine_event_of(const Entry& entry) {
  json::Writer writer;
  writer.begin_object();
  writer.key("id").text(entry.uid.to_string());
  writer.key("kind").text(entry.kind);
  writer.key("occurredAt").text(to_rfc3339(entry.occurred_at));
  writer.key("receivedAt").text(to_rfc3339_exactly(entry.received_at));
  writer.key("contactId");
  entry.contact_id ? writer.text(entry.contact_id->to_string()) : writer.null();
  writer.key("data").json(entry.payload.value_or("{}")).end();
  return {.uid = entry.uid,
          .kind = entry.kind,
          .envelope = engine::Data{writer.finish()},
          .occurred_at = entry.occurred_at,
          .received_at = entry.received_at,
          .may_start = entry.trigger == "all",
          .may_exit = entry.trigger != "none",
          .hops = static_cast<int>(entry.hops)};
}

Inputs inputs_of(const event_log::Work& work) {
  Collecting collecting{work};
  for (const Entry* entry : work.entries) collecting.add(*entry);
  for (const auto& timer : work.timers) collecting.add(timer);
  return std::move(collecting).finish();
}

std::string adoption_to_json(const std::vector<engine::Enrolment>& enrolments) {
  json::Writer writer;
  writer.begin_object().key("enrolments").begin_list();
  for (const auto& one : enrolments)
    writer.begin_object()
        .key("workflowId")
        .text(one.workflow.to_string())
        .key("key")
        .text(one.key)
        .key("runId")
        .text(one.run.to_string())
        .key("startedAt")
        .text(to_rfc3339_exactly(one.started_at))
        .key("endedAt")
        .text(to_rfc3339_exactly(one.ended_at.value_or(one.started_at)))
        .key("seen")
        .text(seen_to_text(one.seen))
        .end();
  return writer.end().end().finish();
}

std::string purchase_of(const Entry& entry) {
  return entry.kind.starts_with("purchase.") ? entry.subject.value_or("") : "";
}

std::string forward_to_json(const HappenedEvent& happened) {
  json::Writer writer;
  writer.begin_object().key("event").json(happened.event.envelope.json());
  if (!happened.purchase.empty()) writer.key("purchase").text(happened.purchase);
  return writer.end().finish();
}

}  // namespace shopbell::automation

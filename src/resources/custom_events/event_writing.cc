#include "resources/custom_events/event_writing.h"

#include <format>

#include "base/limits.h"
#include "http/idempotency.h"
#include "http/wire/body.h"
#include "http/write.h"
#include "resources/custom_events/custom_event_store.h"
#include "resources/custom_events/queued_event.h"
#include "resources/integrations/event_type_store.h"

namespace shopbell::custom_events {

namespace {

using Answer = boost::asio::awaitable<http::Response>;
using contact_fields::FieldSet;
using integrations::EventTypeSet;

// The results of the reads, in their order.
enum Read { people, marks, knowledge, claim, types };

Receipt decide(const CustomEvent& event, const contacts::NamingWish& wish, json::Reading& reading,
               const http::Premises& premises, const contacts::Knowledge& known,
               std::int64_t types_version, pg::Group& effect) {
  const std::int64_t version = integrations::found_definitions_version(premises.results[types]);
  if (version != types_version) throw TypesChanged{version};
  if (event.key_hash) {
    if (const auto found = found_claim(premises.results[claim]))
      return repeated(event, found->receipt, found->content_hash);
  }
  known.marks.refuse_older("the event", event.occurred_at);
  const contacts::Change change = contacts::decide_named(
      reading, event.contact, contacts::found_contacts(premises.results[people]), wish, known);
  if (change.is_write) contacts::write_change(effect, change, known);
  write_event(effect, known.account, event, change.after, premises.now);
  return {.id = event.uid, .contact_id = change.after.id, .received_at = premises.now};
}

}  // namespace

const integrations::KnownEventType* type_by_id(const http::Call& call,
                                               const integrations::EventTypeSet& types) {
  const auto id = Uuid::parse(call.path("id"));
  return id ? types.find(*id) : nullptr;
}

const integrations::KnownEventType& type_of(const http::Call& call, FindType find,
                                            const EventTypeSet& types) {
  const auto* type = find(call, types);
  if (type == nullptr) throw Problem{Code::not_found, "There is no such event type."};
  if (!type->receives)
    throw Problem{Code::event_type_not_receivable, "The event type sends and takes no events."};
  if (!type->events_enabled)
    throw Problem{Code::integration_disabled, "The integration of the event type is turned off."};
  return *type;
}

Receipt repeated(const CustomEvent& event, const Receipt& first, const std::string& content_hash) {
  if (content_hash != event.content_hash)
    throw Problem{Code::event_exists, "An event with other content has this eventId."};
  return first;
}

http::Response answer_of(const Receipt& receipt, const json::Reading& reading) {
  const bool queued = receipt.status == "queued";
  const auto& table = queued ? queued_receipt_json() : receipt_json();
  http::Response response = http::Response::json(table.to_json(receipt, reading.warnings()));
  response.status = queued ? 202 : receipt.status == "accepted" ? 201 : 200;
  if (queued) response.headers.emplace_back("Preference-Applied", "respond-async");
  if (reading.lenient()) response.headers.emplace_back("Preference-Applied", "handling=lenient");
  return response;
}

Answer write_alone(http::Call call, Memory memory, CustomEvent event, contacts::NamingWish wish,
                   std::int64_t types_version, json::Reading reading, Receipt& receipt,
                   http::Keep keep, std::function<void(pg::Group&)> beside) {
  const std::int64_t account = call.account();
  pg::Group reads;
  contacts::read_contacts(reads, account, event.names.keys);
  contacts::read_marks(reads, account, event.names.hashes);
  contacts::read_knowledge(reads, account);
  read_claim(reads, account, event);
  integrations::read_definitions_version(reads, account);
  pg::Group locks;
  contacts::lock_contacts(locks, account, event.names.keys);
  co_return co_await contacts::write_contact(
      call, memory.fields, std::move(reads), std::move(locks),
      [&](const http::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const contacts::Knowledge known =
            contacts::knowledge_of(call, premises.now, fields, premises.results[knowledge],
                                   contacts::Marks{event.names.hashes, premises.results[marks]});
        json::Reading own = reading;  // it may be decided again
        receipt = decide(event, wish, own, premises, known, types_version, effect);
        if (beside) beside(effect);
        return answer_of(receipt, own);
      },
      keep);
}

EventQueue* queue_for(const http::Call& call, const Memory& memory) {
  const bool wanted = memory.queue != nullptr && call.whole() == nullptr &&
                      http::prefers_async(call.request()) && !http::idempotency_key(call.request());
  return wanted && memory.queue->topic().is_open() ? memory.queue : nullptr;
}

Problem queue_unsure() {
  return Problem{Code::unavailable,
                 "The event may have been taken: give events an eventId to send them again safely."}
      .with_header("Retry-After", "1");
}

std::string identifier_of(const CustomEvent& event) {
  const contacts::Keys& keys = event.names.keys;
  if (!keys.external_ids.empty()) return keys.external_ids.front();
  return keys.emails.empty() ? "" : keys.emails.front();
}

kafka::NewMessage message_of(const http::Call& call, const CustomEvent& event, const Judge& judge,
                             std::string body) {
  QueuedEvent queued{.account = call.account(),
                     .id = event.uid,
                     .received_at = judge.now,
                     .type_id = judge.type->id,
                     .lenient = call.reading().lenient(),
                     .body = std::move(body)};
  for (const char* name : {"createContact", "updateContact", "mergeContacts", "triggerWorkflows"})
    if (const auto value = call.parameter(name)) queued.parameters.emplace_back(name, *value);
  return {.partition = partition_of(call.account(), identifier_of(event)),
          .value = queued.to_json()};
}

namespace {

// The answer when the queue has it. Nothing when it has not: then the database is asked. Whether it
// has may be unknown; an event with an id of its own is then known again, and is written once.
boost::asio::awaitable<std::optional<http::Response>> enqueue(http::Call call, EventQueue& queue,
                                                              const CustomEvent& event,
                                                              const Judge& judge,
                                                              const json::Reading& reading) {
  std::vector<kafka::NewMessage> messages;
  messages.push_back(message_of(call, event, judge, call.body().to_json()));
  const auto delivered = co_await queue.put(std::move(messages));
  if (delivered.front() == kafka::Delivery::durable)
    co_return answer_of(
        {.id = event.uid, .status = "queued", .contact_id = {}, .received_at = judge.now}, reading);
  if (delivered.front() == kafka::Delivery::unknown && !event.key_hash) throw queue_unsure();
  co_return std::nullopt;
}

// One attempt, with the event types as they are remembered.
Answer attempt(http::Call call, Memory memory, const Judge& judge, const SentEvent& sent,
               contacts::NamingWish wish, std::int64_t types_version, json::Reading reading) {
  CustomEvent event = judge.judge(reading, call.body(), sent);
  if (EventQueue* queue = queue_for(call, memory)) {
    if (auto queued = co_await enqueue(call, *queue, event, judge, reading))
      co_return std::move(*queued);
  }
  Receipt receipt;
  if (http::idempotency_key(call.request()) || wish.updates || call.whole() != nullptr)
    co_return co_await write_alone(call, memory, std::move(event), wish, types_version, reading,
                                   receipt);
  const std::vector<Taken> taken =
      co_await memory.intake->take(call.database(), call.scope(), types_version, {event});
  switch (taken[0].outcome) {
    case Outcome::taken:
      co_return answer_of(
          {.id = event.uid, .contact_id = taken[0].contact_id, .received_at = taken[0].received_at},
          reading);
    case Outcome::types:
      throw TypesChanged{-1};
    default:
      co_return co_await write_alone(call, memory, std::move(event), wish, types_version, reading,
                                     receipt);
  }
}

}  // namespace

Answer take_one(http::Call call, FindType find, Memory memory) {
  const contacts::NamingWish wish = contacts::naming_wish_of(call);
  json::Reading reading = call.reading();
  SentEvent sent;
  sent_event_json().read_new(call.body(), reading).apply_to(sent);
  reading.finish();
  contacts::Contact named;
  if (sent.contact) sent.contact->apply_to(named);
  Judge judge{.call = &call,
              .now = call.clock().now(),
              .country = co_await contacts::country_for(call, named)};
  auto types = memory.types->remembered(call.account());
  for (int tries = 0; tries < limits::kWriteAttempts; ++tries) {
    try {
      judge.type = &type_of(call, find, *types);
      co_return co_await attempt(call, memory, judge, sent, wish, types->version(), reading);
    } catch (const TypesChanged&) {
    } catch (const Problem& problem) {
      // What is remembered may be out of date: then it is read again before anybody is refused.
      if (tries > 0 || problem.status() == 503) throw;
    }
    pg::Group reads;
    integrations::read_definitions_version(reads, call.account());
    const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
    const std::int64_t version = integrations::found_definitions_version(found[0]);
    types = co_await memory.types->get(call.database(), call.scope(), version);
  }
  throw Problem{Code::unavailable, "The event types change too fast."};
}

}  // namespace shopbell::custom_events

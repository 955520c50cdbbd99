#include "resources/custom_events/event_writing.h"

#include <format>

#include "operations/idempotency.h"
#include "operations/retry.h"
#include "operations/write.h"
#include "resources/custom_events/custom_event_store.h"
#include "resources/custom_events/queued_event.h"
#include "resources/integrations/event_type_store.h"

namespace shopbell::custom_events {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;
using contact_fields::FieldSet;
using integrations::EventTypeSet;

// Indexes of the results, in the order of the reads.
enum Read { people, marks, knowledge, claim, types };

Receipt decide(const CustomEvent& event, const contacts::NamingWish& wish, json::Reading& reading,
               const operations::Premises& premises, const contacts::Knowledge& known,
               std::int64_t types_version, pg::Group& effect) {
  if (integrations::found_definitions_version(premises.results[types]) != types_version)
    throw TypesChanged{};
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

const integrations::KnownEventType* type_by_id(const operations::Input& input,
                                               const integrations::EventTypeSet& types) {
  const auto id = Uuid::parse(input.path("id"));
  return id ? types.find(*id) : nullptr;
}

const integrations::KnownEventType& type_of(const operations::Input& input, FindType find,
                                            const EventTypeSet& types) {
  const auto* type = find(input, types);
  if (type == nullptr) throw Problem{Code::not_found, "The event type does not exist."};
  if (!type->receives)
    throw Problem{Code::event_type_not_receivable,
                  "The event type is for sending only and accepts "
                  "no events."};
  if (!type->events_enabled)
    throw Problem{Code::integration_disabled, "The integration of the event type is turned off."};
  return *type;
}

Receipt repeated(const CustomEvent& event, const Receipt& first, const std::string& content_hash) {
  if (content_hash != event.content_hash)
    throw Problem{Code::event_exists,
                  "Another event with different content already has this "
                  "eventId."};
  return first;
}

operations::Output answer_of(const Receipt& receipt, const json::Reading& reading) {
  const bool queued = receipt.status == "queued";
  const auto& table = queued ? queued_receipt_json() : receipt_json();
  operations::Output output = operations::Output::json(table.to_json(receipt, reading.warnings()));
  output.warnings = reading.warnings();
  output.outcome = queued                         ? operations::Outcome::accepted
                   : receipt.status == "accepted" ? operations::Outcome::created
                                                  : operations::Outcome::ok;
  if (queued) output.preferences_applied.emplace_back("respond-async");
  if (reading.lenient()) output.preferences_applied.emplace_back("handling=lenient");
  return output;
}

Answer write_alone(operations::Input input, Memory memory, CustomEvent event,
                   contacts::NamingWish wish, std::int64_t types_version, json::Reading reading,
                   Receipt& receipt, operations::Keep keep,
                   std::function<void(pg::Group&)> beside) {
  const std::int64_t account = input.account();
  pg::Group reads;
  contacts::read_contacts(reads, account, event.names.keys);
  contacts::read_marks(reads, account, event.names.hashes);
  contacts::read_knowledge(reads, account);
  read_claim(reads, account, event);
  integrations::read_definitions_version(reads, account);
  pg::Group locks;
  contacts::lock_contacts(locks, account, event.names.keys);
  co_return co_await contacts::write_contact(
      input, memory.fields, std::move(reads), std::move(locks),
      [&](const operations::Premises& premises, const FieldSet& fields, pg::Group& effect) {
        const contacts::Knowledge known =
            contacts::knowledge_of(input, premises.now, fields, premises.results[knowledge],
                                   contacts::Marks{event.names.hashes, premises.results[marks]});
        json::Reading own = reading;  // a copy, because the decision may be retried
        receipt = decide(event, wish, own, premises, known, types_version, effect);
        if (beside) beside(effect);
        return answer_of(receipt, own);
      },
      keep);
}

EventQueue* queue_for(const operations::Input& input, const Memory& memory) {
  const bool wanted = memory.queue != nullptr && input.outer() == nullptr &&
                      input.preferences().respond_async && !input.idempotency_key();
  return wanted && memory.queue->topic().is_open() ? memory.queue : nullptr;
}

Problem delivery_unknown() {
  return Problem{Code::unavailable,
                 "The event may have been stored. Give events an eventId, so that you can retry "
                 "them safely."}
      .with_header("Retry-After", "1");
}

std::string identifier_of(const CustomEvent& event) {
  const contacts::Keys& keys = event.names.keys;
  if (!keys.external_ids.empty()) return keys.external_ids.front();
  return keys.emails.empty() ? "" : keys.emails.front();
}

kafka::NewMessage message_of(const operations::Input& input, const CustomEvent& event,
                             const EventValidator& validator, std::string body, int partitions) {
  QueuedEvent queued{.account = input.account(),
                     .id = event.uid,
                     .received_at = validator.now,
                     .type_id = validator.type->id,
                     .lenient = input.reading().lenient(),
                     .body = std::move(body)};
  for (const char* name : {"createContact", "updateContact", "mergeContacts", "triggerWorkflows"})
    if (const auto value = input.parameter(name)) queued.parameters.emplace_back(name, *value);
  return {.partition = partition_of(input.account(), identifier_of(event), partitions),
          .value = queued.to_json()};
}

namespace {

// Returns the response if Kafka stored the event, and nullopt if the database has to be used. If
// the outcome is unknown, the database takes an event with an eventId, and deduplicates it.
boost::asio::awaitable<std::optional<operations::Output>> enqueue(operations::Input input,
                                                                  EventQueue& queue,
                                                                  const CustomEvent& event,
                                                                  const EventValidator& validator,
                                                                  const json::Reading& reading) {
  std::vector<kafka::NewMessage> messages;
  messages.push_back(
      message_of(input, event, validator, input.body().to_json(), queue.topic().partitions()));
  const auto delivered = co_await queue.put(std::move(messages));
  if (delivered.front() == kafka::Delivery::durable)
    co_return answer_of(
        {.id = event.uid, .status = "queued", .contact_id = {}, .received_at = validator.now},
        reading);
  if (delivered.front() == kafka::Delivery::unknown && !event.key_hash) throw delivery_unknown();
  co_return std::nullopt;
}

// Writes the event, validated by these event types.
Answer write_by(operations::Input input, Memory memory, const EventValidator& validator,
                const SentEvent& sent, contacts::NamingWish wish, std::int64_t types_version,
                json::Reading reading) {
  CustomEvent event = validator.validate(reading, input.body(), sent);
  if (EventQueue* queue = queue_for(input, memory)) {
    if (auto queued = co_await enqueue(input, *queue, event, validator, reading))
      co_return std::move(*queued);
  }
  Receipt receipt;
  if (input.idempotency_key() || wish.updates || input.outer() != nullptr)
    co_return co_await write_alone(input, memory, std::move(event), wish, types_version, reading,
                                   receipt);
  const std::vector<Taken> taken =
      co_await memory.intake->take(input.database(), input.scope(), types_version, {event});
  switch (taken[0].outcome) {
    case Outcome::taken:
      co_return answer_of(
          {.id = event.uid, .contact_id = taken[0].contact_id, .received_at = taken[0].received_at},
          reading);
    case Outcome::types:
      throw TypesChanged{};
    default:
      co_return co_await write_alone(input, memory, std::move(event), wish, types_version, reading,
                                     receipt);
  }
}

// The first attempt validates the event by the cached types. If they refuse it, they may be stale:
// only the current ones decide.
Answer attempt(operations::Input input, Memory memory, FindType find, EventValidator validator,
               const SentEvent& sent, contacts::NamingWish wish, const json::Reading& reading,
               bool cached) {
  const auto types =
      cached ? memory.types->remembered(input.account()) : co_await current_types(input, memory);
  try {
    validator.type = &type_of(input, find, *types);
    co_return co_await write_by(input, memory, validator, sent, wish, types->version(), reading);
  } catch (const Problem& problem) {
    if (!cached || problem.status() == 503) throw;
  }
  throw TypesChanged{};
}

}  // namespace

boost::asio::awaitable<std::shared_ptr<const EventTypeSet>> current_types(operations::Input input,
                                                                          Memory memory) {
  pg::Group reads;
  integrations::read_definitions_version(reads, input.account());
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  co_return co_await memory.types->get(input.database(), input.scope(),
                                       integrations::found_definitions_version(found[0]));
}

Answer take_one(operations::Input input, FindType find, Memory memory) {
  const contacts::NamingWish wish = contacts::naming_wish_of(input);
  json::Reading reading = input.reading();
  SentEvent sent;
  sent_event_json().read_new(input.body(), reading).apply_to(sent);
  reading.finish();
  contacts::Contact named;
  if (sent.contact) sent.contact->apply_to(named);
  const EventValidator validator{.input = &input,
                                 .now = input.clock().now(),
                                 .country = co_await contacts::country_for(input, named)};
  co_return co_await operations::while_stale<TypesChanged>(
      [&](const std::optional<TypesChanged>& stale) {
        return attempt(input, memory, find, validator, sent, wish, reading, !stale);
      },
      kTypesKeepChanging);
}

}  // namespace shopbell::custom_events

// Writes custom events: a single one together with the changes of its contact, or many in one
// batch.
#pragma once

#include <functional>
#include <memory>

#include "operations/write.h"
#include "resources/contacts/contact_answer.h"
#include "resources/custom_events/custom_event.h"
#include "resources/custom_events/event_intake.h"
#include "resources/custom_events/event_queue.h"
#include "resources/integrations/event_type_set.h"

namespace shopbell::custom_events {

// State that all requests of the process share.
struct Memory {
  contacts::Memory fields = std::make_shared<contact_fields::FieldSets>();
  std::shared_ptr<integrations::EventTypeSets> types =
      std::make_shared<integrations::EventTypeSets>();
  std::shared_ptr<EventIntake> intake = std::make_shared<EventIntake>();
  EventQueue* queue = nullptr;  // null if Kafka is not configured
};

// Thrown if an event was validated by a stale version of the account's event types.
struct TypesChanged {};
inline constexpr const char* kTypesKeepChanging =
    "The event types kept changing during the request. Try again.";

// Finds the event type by the id in the path.
const integrations::KnownEventType* type_by_id(const operations::Input& input,
                                               const integrations::EventTypeSet& types);
// Finds the account's event type that the path names. Throws a Problem if it is unknown or accepts
// no events.
using FindType = const integrations::KnownEventType* (*)(const operations::Input& input,
                                                         const integrations::EventTypeSet& types);
const integrations::KnownEventType& type_of(const operations::Input& input, FindType find,
                                            const integrations::EventTypeSet& types);

// Returns the account's event types as the database has them now.
boost::asio::awaitable<std::shared_ptr<const integrations::EventTypeSet>> current_types(
    operations::Input input, Memory memory);

// Returns the receipt of an event whose eventId is taken: the first event's, if both have the same
// content. Otherwise throws event-exists.
Receipt repeated(const CustomEvent& event, const Receipt& first, const std::string& content_hash);

// Writes one event with all changes of its contact. Sets the receipt, unless the output was stored
// for the Idempotency-Key. `beside` adds further statements to the transaction. Throws
// TypesChanged.
boost::asio::awaitable<operations::Output> write_alone(
    operations::Input input, Memory memory, CustomEvent event, contacts::NamingWish wish,
    std::int64_t types_version, json::Reading reading, Receipt& receipt,
    operations::Keep keep = operations::Keep::output, std::function<void(pg::Group&)> beside = {});

// Writes the problem of one line as JSON.
void write_problem(json::Writer& writer, const Problem& problem);

operations::Output answer_of(const Receipt& receipt, const json::Reading& reading);

// Returns the queue if it is open and the request may use it; else null. The request needs `Prefer:
// respond-async` and no Idempotency-Key, because only the database can store that key's response.
EventQueue* queue_for(const operations::Input& input, const Memory& memory);
// The problem when Kafka may have stored an event without an eventId: a retry could duplicate it.
Problem delivery_unknown();
// Returns the contact's identifier by which the queue keeps events in order.
std::string identifier_of(const CustomEvent& event);
// Returns the Kafka message of a validated event, with the body as it was sent. The topic has
// `partitions`.
kafka::NewMessage message_of(const operations::Input& input, const CustomEvent& event,
                             const EventValidator& validator, std::string body, int partitions);

// Take a POST of one event, and a POST of many events, one per line.
boost::asio::awaitable<operations::Output> take_one(operations::Input input, FindType find,
                                                    Memory memory);
boost::asio::awaitable<operations::Output> take_lines(operations::Input input, FindType find,
                                                      Memory memory);

json::Schema lines_schema();

}  // namespace shopbell::custom_events

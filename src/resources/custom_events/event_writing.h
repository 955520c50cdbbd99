// Writing custom events: one alone, with whatever it changes of its contact, or many together.
#pragma once

#include <functional>
#include <memory>

#include "http/write.h"
#include "resources/contacts/contact_answer.h"
#include "resources/custom_events/custom_event.h"
#include "resources/custom_events/event_intake.h"
#include "resources/custom_events/event_queue.h"
#include "resources/integrations/event_type_set.h"

namespace shopbell::custom_events {

// What the process remembers between requests.
struct Memory {
  contacts::Memory fields = std::make_shared<contact_fields::FieldSets>();
  std::shared_ptr<integrations::EventTypeSets> types =
      std::make_shared<integrations::EventTypeSets>();
  std::shared_ptr<EventIntake> intake = std::make_shared<EventIntake>();
  EventQueue* queue = nullptr;  // where there is Kafka
};

// Thrown where an event was judged by event types that are no longer the account's.
struct TypesChanged {
  std::int64_t version;
};

// By the id in the path.
const integrations::KnownEventType* type_by_id(const http::Call& call,
                                               const integrations::EventTypeSet& types);
// The type that the path names, among those of the account. Throws what refuses it.
using FindType = const integrations::KnownEventType* (*)(const http::Call& call,
                                                         const integrations::EventTypeSet& types);
const integrations::KnownEventType& type_of(const http::Call& call, FindType find,
                                            const integrations::EventTypeSet& types);

// The receipt of an event that has the id of another: of the same content it is the same event.
// Throws event-exists.
Receipt repeated(const CustomEvent& event, const Receipt& first, const std::string& content_hash);

// One event, with all it changes of its contact. The receipt is set unless the answer is one that
// was kept. `beside` adds what is to happen with it.
// Throws TypesChanged.
boost::asio::awaitable<http::Response> write_alone(http::Call call, Memory memory,
                                                   CustomEvent event, contacts::NamingWish wish,
                                                   std::int64_t types_version,
                                                   json::Reading reading, Receipt& receipt,
                                                   http::Keep keep = http::Keep::answer,
                                                   std::function<void(pg::Group&)> beside = {});

// As one of many is told why it was refused.
void write_problem(json::Writer& writer, const Problem& problem);

http::Response answer_of(const Receipt& receipt, const json::Reading& reading);

// The queue, when the request may go through it and it is open: `Prefer: respond-async`, and no
// Idempotency-Key, whose answer only the database can keep.
EventQueue* queue_for(const http::Call& call, const Memory& memory);
// Nobody knows whether it has the event, and the event has nothing to be known again by.
Problem queue_unsure();
// The one by which its order is kept, of those that name its contact.
std::string identifier_of(const CustomEvent& event);
// The message of an event that was judged, as it was sent.
kafka::NewMessage message_of(const http::Call& call, const CustomEvent& event, const Judge& judge,
                             std::string body);

// POST of one event, and of many, one a line.
boost::asio::awaitable<http::Response> take_one(http::Call call, FindType find, Memory memory);
boost::asio::awaitable<http::Response> take_lines(http::Call call, FindType find, Memory memory);

json::Schema lines_schema();

}  // namespace shopbell::custom_events

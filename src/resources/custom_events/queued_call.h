// QueuedCall: rebuilds the invocation that queued an event, so that the event is written as if it
// had just been sent.
#pragma once

#include <vector>

#include <boost/asio/awaitable.hpp>

#include "operations/operation.h"
#include "resources/custom_events/custom_event.h"
#include "resources/custom_events/event_writing.h"
#include "resources/custom_events/queued_event.h"

namespace shopbell::custom_events {

// Not copyable or movable, because its input points to its own members.
class QueuedCall {
 public:
  // `around` provides the parts of the invocation that are not stored with the event: database,
  // keyring, operation, caller.
  QueuedCall(const QueuedEvent& queued, operations::Invocation around);
  QueuedCall(const QueuedCall&) = delete;
  QueuedCall& operator=(const QueuedCall&) = delete;

  operations::Input input() const { return operations::Input{invocation}; }
  // Validates the event; keeps its original id and time. Throws a Problem if the event is invalid
  // or no longer valid. Sets `identifiers` even then, if the event names a contact.
  boost::asio::awaitable<CustomEvent> validate(const integrations::EventTypeSet& types);

  const QueuedEvent* sent;
  operations::Invocation invocation;
  json::Reading reading;
  contacts::NamingWish wish;
  std::vector<Sha256> identifiers;  // keyed hashes of the contact's identifiers
};

}  // namespace shopbell::custom_events

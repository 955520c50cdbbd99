// QueuedCall: the request of a queued event as it would be answered now, by whoever writes it
// later.
#pragma once

#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/route.h"
#include "resources/custom_events/custom_event.h"
#include "resources/custom_events/event_writing.h"
#include "resources/custom_events/queued_event.h"

namespace shopbell::custom_events {

// The call points into it, so it stays where it is.
class QueuedCall {
 public:
  // `around` is what of the exchange does not come with the event: database, keyring, route,
  // caller.
  QueuedCall(const QueuedEvent& queued, http::Exchange around);
  QueuedCall(const QueuedCall&) = delete;
  QueuedCall& operator=(const QueuedCall&) = delete;

  http::Call call() const { return http::Call{exchange}; }
  // The event, under its own id and time. Throws Problem when it is not right, or not any longer;
  // `identifiers` are known then, too, if it names anybody.
  boost::asio::awaitable<CustomEvent> judge(const integrations::EventTypeSet& types);

  const QueuedEvent* sent;
  http::Request request;
  http::Exchange exchange;
  json::Reading reading;
  contacts::NamingWish wish;
  std::vector<Sha256> identifiers;  // keyed hashes of those it names
};

}  // namespace shopbell::custom_events

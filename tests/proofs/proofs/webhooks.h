// Parts of the webhooks proof: sending events to the service, and the effect of a dead endpoint on
// the others.
#pragma once

#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/proofs/actors/fleet.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/webhook_site.h"

namespace shopbell::proofs {

// An event as its sender knows it.
struct SentEvent {
  std::string id;
  std::size_t contact = 0;
  // Position in the order in which the contact's events were acknowledged.
  std::int64_t place = 0;
  std::int64_t began_ms = 0;  // start of the request, in milliseconds since 1970
};

std::int64_t now_ms();

// Sends an event of the type `ring` until it is acknowledged; throws after a minute. Each mark is a
// new event.
SentEvent send_event(const Fleet& fleet, const std::string& key, std::size_t contact,
                     const std::string& mark);

struct DeadEndpointFigures {
  std::size_t endpoints = 0;
  NeighbourFigures arrival;  // latency from the request with the event to its arrival
  // CPU usage of the machine, median of the rounds with the dead endpoint.
  double cpu_percent = 0;
  std::int64_t missing = 0;  // events not delivered in time
};

// Alternates rounds with and without a dead endpoint beside 50 healthy ones. The account must
// already have the contacts and the event type.
DeadEndpointFigures measure_dead_endpoint(const Setting& setting, const Fleet& fleet,
                                          WebhookSite& site, const std::string& key,
                                          std::size_t contacts);

}  // namespace shopbell::proofs

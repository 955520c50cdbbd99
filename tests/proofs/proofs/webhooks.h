// The parts of the proof of webhooks: who tells the service of events, and what a dead endpoint
// costs those beside it.
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

// An event as the one who told of it knows it.
struct ToldEvent {
  std::string id;
  std::size_t contact = 0;
  std::int64_t place = 0;     // in the order in which its contact's were acknowledged
  std::int64_t began_ms = 0;  // since 1970
};

std::int64_t now_ms();

// Tells of an event of the type `ring`, again until it is acknowledged; throws when a minute was
// not enough. Every mark is another event.
ToldEvent tell_event(const Fleet& fleet, const std::string& key, std::size_t contact,
                     const std::string& mark);

struct DeadEndpointFigures {
  std::size_t endpoints = 0;
  NeighbourFigures arrival;  // from the request that tells of an event to its arrival
  double cpu_percent = 0;    // of the machine, median of the rounds with the dead one
  std::int64_t missing = 0;  // that did not arrive in their round
};

// 50 endpoints that answer, of an account that has contacts and the event type already; with and
// without one beside them that never does, by turns.
DeadEndpointFigures measure_dead_endpoint(const Setting& setting, const Fleet& fleet,
                                          WebhookSite& site, const std::string& key,
                                          std::size_t contacts);

}  // namespace shopbell::proofs

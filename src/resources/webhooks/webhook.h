// Webhook: a store's endpoint that gets signed events. While it is paused, events are kept and sent
// later. While it is disabled, its events are not sent at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "outgoing/sent_header.h"

namespace shopbell::webhooks {

// A range of receipt times, from `from` inclusive to `to` exclusive.
struct Period {
  Instant from;
  Instant to;
};

struct Webhook {
  Uuid id;
  std::string url;
  std::optional<std::string> description;
  std::vector<std::string> kinds;  // empty: all kinds; `contact.*`: all kinds with the prefix
  outgoing::SentHeaders headers;
  std::string status = "enabled";             // "enabled", "paused" or "disabled"
  std::optional<std::string> reason;          // if not enabled: "requested", "failing" or "gone"
  std::optional<Instant> failing_since;       // time since which every delivery has failed
  std::optional<Period> replay;               // range being replayed; set only during a replay
  std::optional<std::string> signing_secret;  // set only in the response that generates it
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;

  bool is_enabled() const { return status == "enabled"; }
};

// A webhook delivery, as the API shows it.
struct ShownDelivery {
  std::int64_t place = 0;  // position in the list, in order of creation
  Uuid id;                 // id of the delivered event
  std::string kind;
  std::optional<Uuid> contact_id;
  std::int64_t sequence = 0;
  std::string status;  // "waiting", "sending", "delivered" or "failed"
  std::int64_t attempts = 0;
  Instant received_at;
  std::optional<Instant> next_attempt_at;  // nullopt: ended, in flight, or behind another delivery
  std::optional<Instant> ended_at;
  std::optional<std::int64_t> answer_status;  // HTTP status of the last attempt
  std::optional<std::string> trouble;

  bool has_ended() const { return ended_at.has_value(); }
};

// True for a kind of event, a group such as `contact.*`, or `custom.` with the alias of a type.
bool names_kinds(std::string_view text);
// Returns the rule of names_kinds() as a regular expression.
std::string kinds_pattern();

// Updates reason and failing_since after a change of status or URL.
void settle_status(const Webhook& before, Webhook& after);

}  // namespace shopbell::webhooks

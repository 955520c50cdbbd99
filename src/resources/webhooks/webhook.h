// Webhook: an address of the store's own that is told what happens, signed. It is enabled; paused,
// and told later what happened meanwhile; or disabled, and not told that.
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

// What was received from then until just before then.
struct Period {
  Instant from;
  Instant to;
};

struct Webhook {
  Uuid id;
  std::string url;
  std::optional<std::string> description;
  std::vector<std::string> kinds;  // none: all; `contact.*`: all that begin so
  outgoing::SentHeaders headers;
  std::string status = "enabled";             // or "paused", "disabled"
  std::optional<std::string> reason;          // why it is not enabled: requested, failing, gone
  std::optional<Instant> failing_since;       // nothing was heard since
  std::optional<Period> replay;               // while it is sent again
  std::optional<std::string> signing_secret;  // known only while it is made
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;

  bool is_enabled() const { return status == "enabled"; }
};

// An event that a webhook is told of, as the store sees it.
struct ShownDelivery {
  std::int64_t place = 0;  // in the order in which they came to be
  Uuid id;                 // the event's
  std::string kind;
  std::optional<Uuid> contact_id;
  std::int64_t sequence = 0;
  std::string status;  // waiting, sending, delivered, failed
  std::int64_t attempts = 0;
  Instant received_at;
  std::optional<Instant> next_attempt_at;  // nothing: it has ended, or waits for the one before it
  std::optional<Instant> ended_at;
  std::optional<std::int64_t> answer_status;  // of the last attempt
  std::optional<std::string> trouble;

  bool has_ended() const { return ended_at.has_value(); }
};

// A kind of event, all kinds of a group as `contact.*`, or `custom.` and the alias of a type.
bool names_kinds(std::string_view text);
// The same as a pattern.
std::string kinds_pattern();

// What follows when the status or the address changes.
void settle_status(const Webhook& before, Webhook& after);

}  // namespace shopbell::webhooks

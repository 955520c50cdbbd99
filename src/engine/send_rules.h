// SendRules: when a planned message may be sent. The claim of a message and the dry run ask the
// same function.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "engine/local_time.h"

namespace shopbell::engine {

// A daily window of local time; it may pass midnight.
struct SendWindow {
  std::chrono::minutes from{};
  std::chrono::minutes to{};
  Weekdays weekdays = 0;                       // the days on which it begins; 0: every day
  std::string zone = "contact";                // "contact", "store" or an IANA time zone
  std::optional<Duration> skip_if_later_than;  // a message that would wait longer is dropped
};

struct SendRules {
  std::optional<SendWindow> quiet_hours;  // no message is sent inside
  std::optional<SendWindow> send_window;  // no message is sent outside
};

// At most `messages` in any span of this length.
struct FrequencyCap {
  std::int64_t messages = 0;
  std::chrono::seconds span{};
};

struct SendRequest {
  Instant planned_at;  // when the run reached its node
  Instant now;
  Zone contact_zone = nullptr;
  Zone store_zone = nullptr;
  std::vector<FrequencyCap> caps;
  std::vector<Instant> sent;  // earlier messages that count towards the caps, oldest first
  bool skips_at_cap = false;
};

struct SendVerdict {
  enum class Kind { send, wait, skip };
  Kind kind = Kind::send;
  Instant at{};        // of wait: the next moment to ask again
  std::string reason;  // of skip: "late" or "cap"
};

SendVerdict judge_send(const SendRules& rules, const SendRequest& request);

// The time after which the message is dropped.
Instant latest_send(const SendRules& rules, const SendRequest& request);

// The facts that decide if a contact may get a message at all.
struct MailConsent {
  bool is_marketing = true;
  std::string_view subscription;        // of the contact: "subscribed", "unsubscribed", …
  std::string_view status;              // of its address: "active", "bounced", …
  std::string_view suppression;         // the reason why the address is suppressed; empty: none
  std::string_view marketing_requires;  // of the store: "subscribed" or "notUnsubscribed"
};
// Returns the reason why the contact must not get the message; nullopt if it may.
std::optional<std::string> refusal_of(const MailConsent& consent);

}  // namespace shopbell::engine

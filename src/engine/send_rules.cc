#include "engine/send_rules.h"

#include <algorithm>

namespace shopbell::engine {

namespace {

using std::chrono::days;
using std::chrono::local_days;

constexpr std::chrono::hours kLatest{24};  // default of skipIfLaterThan

Zone zone_of(const SendWindow& window, const SendRequest& request) {
  if (window.zone == "contact") return request.contact_zone;
  if (window.zone == "store") return request.store_zone;
  return engine::zone_of(window.zone, "UTC");
}

struct Span {
  Instant from;
  Instant to;
};

// Returns the window that begins on the local day.
Span span_on(const SendWindow& window, local_days day, Zone zone) {
  const local_days last = window.to > window.from ? day : day + days{1};
  return {instant_of(zone, LocalTime{day} + window.from),
          instant_of(zone, LocalTime{last} + window.to)};
}

// Returns the window that contains the instant, else the next one.
Span span_at(const SendWindow& window, Instant instant, Zone zone) {
  local_days day = std::chrono::floor<days>(local_of(zone, instant)) - days{1};
  for (int i = 0;; ++i, day += days{1}) {
    if (!includes(window.weekdays, std::chrono::weekday{day})) continue;
    const Span span = span_on(window, day, zone);
    if (span.to > instant || i > 10) return span;
  }
}

bool contains(const Span& span, Instant instant) {
  return instant >= span.from && instant < span.to;
}

// Returns the first moment from `instant` on at which no cap is reached.
Instant below_caps(const SendRequest& request, Instant instant) {
  for (const auto& cap : request.caps) {
    // The cap is free again when its oldest counted message leaves the span.
    const auto counted = static_cast<std::size_t>(cap.messages);
    if (request.sent.size() < counted) continue;
    const Instant oldest = request.sent[request.sent.size() - counted];
    instant = std::max(instant, oldest + cap.span);
  }
  return instant;
}

}  // namespace

// Of two limits the earlier one counts.
Instant latest_send(const SendRules& rules, const SendRequest& request) {
  std::optional<Instant> latest;
  for (const auto* window : {&rules.quiet_hours, &rules.send_window}) {
    if (!*window || !(*window)->skip_if_later_than) continue;
    const Instant end =
        plus(request.contact_zone, request.planned_at, *(*window)->skip_if_later_than);
    latest = latest ? std::min(*latest, end) : end;
  }
  return latest.value_or(request.planned_at + kLatest);
}

SendVerdict judge_send(const SendRules& rules, const SendRequest& request) {
  Instant at = below_caps(request, request.now);
  if (at > request.now && request.skips_at_cap)
    return {.kind = SendVerdict::Kind::skip, .reason = "cap"};
  const Instant latest = latest_send(rules, request);
  // Each round moves to the end of quiet hours or to the start of a window; windows that never
  // leave a free moment end at `latest`.
  for (bool moved = true; moved && at <= latest;) {
    moved = false;
    if (rules.quiet_hours) {
      const Span quiet = span_at(*rules.quiet_hours, at, zone_of(*rules.quiet_hours, request));
      if (contains(quiet, at)) {
        at = quiet.to;
        moved = true;
      }
    }
    if (rules.send_window) {
      const Span open = span_at(*rules.send_window, at, zone_of(*rules.send_window, request));
      if (at < open.from) {
        at = open.from;
        moved = true;
      }
    }
  }
  if (at > latest) return {.kind = SendVerdict::Kind::skip, .reason = "late"};
  if (at > request.now) return {.kind = SendVerdict::Kind::wait, .at = at};
  return {};
}

std::optional<std::string> refusal_of(const MailConsent& consent) {
  if (consent.status == "bounced" || consent.status == "paused") return std::string{consent.status};
  if (!consent.is_marketing) return std::nullopt;
  if (consent.status == "complained") return "complained";
  if (!consent.suppression.empty()) return std::string{consent.suppression};
  const bool may = consent.marketing_requires == "notUnsubscribed"
                       ? consent.subscription != "unsubscribed"
                       : consent.subscription == "subscribed";
  return may ? std::nullopt : std::optional<std::string>{"no-consent"};
}

}  // namespace shopbell::engine

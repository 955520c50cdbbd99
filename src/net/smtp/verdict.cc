#include "net/smtp/verdict.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace shopbell::net::smtp {

namespace {

// The phrases are in lower case.
bool contains_any(std::string_view text, std::initializer_list<std::string_view> phrases) {
  const std::string lower = lower_ascii(text);
  return std::ranges::any_of(phrases,
                             [&](std::string_view phrase) { return lower.contains(phrase); });
}

bool is_any_of(std::string_view code, std::initializer_list<std::string_view> codes) {
  return std::ranges::contains(codes, code);
}

// Servers name a rate limit in many ways; the codes are those of RFC 3463 and of large providers.
bool asks_to_slow_down(const Reply& reply) {
  if (!reply.is_transient()) return false;
  return is_any_of(reply.enhanced, {"4.7.28", "4.3.2"}) ||
         (reply.code == 452 && reply.enhanced == "4.5.3") ||
         contains_any(reply.text, {"rate limit", "sending rate", "rate of", "rate exceeded",
                                   "throttl", "too many messages", "too fast"});
}

bool names_unknown_user(const Reply& reply) {
  return contains_any(
      reply.text,
      {"user unknown", "unknown user", "no such user", "no such recipient", "does not exist",
       "no mailbox", "mailbox not found", "recipient not found", "unknown recipient",
       "invalid recipient", "mailbox unavailable", "no longer available", "recipient rejected"});
}

Verdict judge_recipient(const Reply& reply) {
  if (is_any_of(reply.enhanced, {"5.1.1", "5.1.2", "5.1.3", "5.1.10", "5.4.4"}))
    return Verdict::unknown_recipient;
  // An enhanced code tells more than the text.
  if (reply.enhanced.starts_with("5.7.") || reply.enhanced.starts_with("5.6."))
    return Verdict::policy;
  if (reply.enhanced.empty() && reply.code == 550 && names_unknown_user(reply))
    return Verdict::unknown_recipient;
  return Verdict::unreachable_recipient;
}

}  // namespace

Verdict judge(Step step, const Reply& reply) {
  if (reply.is_positive()) return Verdict::accepted;
  if (is_any_of(std::to_string(reply.code), {"530", "534", "535", "538"}))
    return Verdict::login_refused;
  if (step == Step::login && reply.is_permanent()) return Verdict::login_refused;
  if (step <= Step::login) return Verdict::relay_fails;
  if (asks_to_slow_down(reply)) return Verdict::too_fast;
  if (reply.code == 421 || reply.code == 454) return Verdict::relay_fails;
  if (reply.is_permanent() && contains_any(reply.text, {"not verified"}))
    return Verdict::sender_refused;
  if (step == Step::mail)
    return reply.is_permanent() ? Verdict::sender_refused : Verdict::relay_fails;
  if (reply.is_transient()) return Verdict::try_later;
  if (!reply.is_permanent()) return Verdict::relay_fails;
  if (step == Step::recipient) return judge_recipient(reply);
  // A relay may check the recipient only after the text.
  const Verdict verdict = judge_recipient(reply);
  return verdict == Verdict::unknown_recipient ? verdict : Verdict::policy;
}

}  // namespace shopbell::net::smtp

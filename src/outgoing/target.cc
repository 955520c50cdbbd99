#include "outgoing/target.h"

namespace shopbell::outgoing {

void check_url(json::Reading& reading, std::string_view url, const net::OutsideRules& rules) {
  if (auto why = net::why_not_outside(url, rules))
    reading.refuse_at("url", "invalid-format", std::move(*why));
}

void settle_moved_headers(json::Reading& reading, std::string_view url_before,
                          std::string_view url_after, const SentHeaders& before, SentHeaders& after,
                          bool sent) {
  const bool moved = url_before != url_after && !net::have_same_origin(url_before, url_after);
  if (sent) {
    settle_headers(reading, moved ? SentHeaders{} : before, after);
  } else if (moved && !after.empty()) {
    reading.refuse_at(
        "headers", "required",
        "The URL moves to another server: send the headers with their values, or [].");
  }
}

}  // namespace shopbell::outgoing

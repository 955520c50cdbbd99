#include "outgoing/target.h"

namespace shopbell::outgoing {

void check_url(json::Reading& reading, std::string_view url, const net::OutsideRules& rules) {
  if (auto why = net::why_not_outside(url, rules))
    reading.refuse_at("url", "invalid-format", std::move(*why));
}

}  // namespace shopbell::outgoing

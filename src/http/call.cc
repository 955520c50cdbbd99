#include "http/call.h"

#include <algorithm>
#include <stdexcept>

namespace shopbell::http {

bool Principal::may(std::string_view scope) const { return std::ranges::contains(scopes, scope); }

const std::string& Call::path(std::string_view name) const {
  for (const auto& [key, value] : exchange_->path_parameters) {
    if (key == name) return value;
  }
  throw std::logic_error{"the route has no parameter " + std::string{name}};
}

std::optional<std::string_view> Call::parameter(std::string_view name) const {
  for (const auto& [key, value] : exchange_->query_parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace shopbell::http

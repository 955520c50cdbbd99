#include "http/call.h"

#include <algorithm>
#include <format>
#include <stdexcept>

#include "http/route.h"
#include "http/wire/body.h"

namespace shopbell::http {

bool Principal::may(std::string_view scope) const { return std::ranges::contains(scopes, scope); }

const std::string& Call::path(std::string_view name) const {
  for (const auto& [key, value] : exchange_->path_parameters) {
    if (key == name) return value;
  }
  throw std::logic_error{"the route has no parameter " + std::string{name}};
}

void Call::require_scope(std::string_view scope) const {
  if (caller().may(scope)) return;
  throw Problem{Code::scope_missing, std::format("The key lacks the scope {}.", scope)};
}

std::optional<std::string_view> Call::parameter(std::string_view name) const {
  for (const auto& [key, value] : exchange_->query_parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::pair<std::string_view, std::string_view>> Call::family() const {
  std::vector<std::pair<std::string_view, std::string_view>> found;
  const std::string& family = route().operation.family;
  if (family.empty()) return found;
  for (const auto& [name, value] : exchange_->query_parameters) {
    if (name.starts_with(family))
      found.emplace_back(std::string_view{name}.substr(family.size()), value);
  }
  return found;
}

json::Value Call::body() const {
  if (!exchange_->body) throw std::logic_error{"the route declares no body"};
  return exchange_->body->root();
}

std::string_view Call::body_text() const {
  return exchange_->plain_body.empty() ? std::string_view{request().body} : exchange_->plain_body;
}

Upload& Call::upload() const {
  if (!has_upload()) throw std::logic_error{"the route takes no upload"};
  return *exchange_->upload;
}

json::Reading Call::reading() const {
  return json::Reading{prefers_leniency(request()) ? json::Strictness::lenient
                                                   : json::Strictness::strict};
}

}  // namespace shopbell::http

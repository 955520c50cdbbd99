#include "operations/input.h"

#include <format>
#include <stdexcept>

#include "operations/operation.h"

namespace shopbell::operations {

const std::string& Input::path(std::string_view name) const {
  for (const auto& [key, value] : invocation_->path_parameters) {
    if (key == name) return value;
  }
  throw std::logic_error{"the operation has no path parameter " + std::string{name}};
}

void Input::require_scope(std::string_view scope) const {
  if (caller().may(scope)) return;
  throw Problem{Code::scope_missing, std::format("The key lacks the scope {}.", scope)};
}

std::optional<std::string_view> Input::parameter(std::string_view name) const {
  for (const auto& [key, value] : invocation_->query_parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::pair<std::string_view, std::string_view>> Input::family() const {
  std::vector<std::pair<std::string_view, std::string_view>> found;
  const std::string& family = operation().description.family;
  if (family.empty()) return found;
  for (const auto& [name, value] : invocation_->query_parameters) {
    if (name.starts_with(family))
      found.emplace_back(std::string_view{name}.substr(family.size()), value);
  }
  return found;
}

json::Value Input::body() const {
  if (!invocation_->body) throw std::logic_error{"the operation declares no body"};
  return invocation_->body->root();
}

Upload& Input::upload() const {
  if (!has_upload()) throw std::logic_error{"the operation takes no upload"};
  return *invocation_->upload;
}

json::Reading Input::reading() const {
  return json::Reading{preferences().lenient ? json::Strictness::lenient
                                             : json::Strictness::strict};
}

}  // namespace shopbell::operations

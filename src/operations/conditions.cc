#include "operations/conditions.h"

#include <algorithm>
#include <format>

#include "base/digest.h"
#include "base/problem.h"
#include "json/writer.h"
#include "operations/input.h"

namespace shopbell::operations {

bool TagList::names_strongly(std::optional<std::string_view> tag) const {
  return tag && (any || std::ranges::contains(strong, *tag));
}

bool TagList::names(std::optional<std::string_view> tag) const {
  return names_strongly(tag) || (tag && std::ranges::contains(weak, *tag));
}

std::string version_tag(Instant created_at, std::int64_t version, std::string_view shape) {
  return std::format("\"{:x}.{}-{}\"", created_at.time_since_epoch().count(), version, shape);
}

std::string shape_of(const json::Schema& schema) {
  json::Writer writer;
  json::write(writer, schema);
  return to_hex(sha256(writer.finish())).substr(0, 6);
}

void check_conditions(const Conditions& conditions, std::optional<std::string_view> tag) {
  if (conditions.if_match && !conditions.if_match->names_strongly(tag)) {
    throw Problem{Code::precondition_failed,
                  tag ? "The object has changed: its ETag is not the one in If-Match."
                      : "If-Match requires an existing object, but it does not exist."};
  }
  if (conditions.if_none_match && conditions.if_none_match->names(tag)) {
    throw Problem{Code::precondition_failed,
                  "If-None-Match requires that the object does not exist, but it exists."};
  }
}

void check_conditions(const Input& input, std::optional<std::string_view> tag) {
  check_conditions(input.conditions(), tag);
}

}  // namespace shopbell::operations

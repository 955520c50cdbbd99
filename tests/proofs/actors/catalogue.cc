#include "tests/proofs/actors/catalogue.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <optional>
#include <ranges>

#include "app/service/public_routes.h"

namespace shopbell::proofs {

namespace {

// Decodes a segment once. The contract rejects an empty, dot or undecodable segment.
std::optional<std::string> decoded(std::string_view raw) {
  std::string text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '%') {
      text.push_back(raw[i]);
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= raw.size()) return std::nullopt;
    const char* from = raw.data() + i + 1;
    if (std::from_chars(from, from + 2, value, 16).ptr != from + 2) return std::nullopt;
    text.push_back(static_cast<char>(value));
    i += 2;
  }
  if (text.empty() || text == "." || text == "..") return std::nullopt;
  return text;
}

bool same_place(const Route& a, const Route& b) {
  const auto shape = [](const Route& route) {
    auto segments = segments_of(route.path);
    for (auto& segment : segments) segment = is_parameter(segment) ? "{}" : segment;
    return segments;
  };
  return shape(a) == shape(b);
}

}  // namespace

Catalogue::Catalogue() {
  for (auto& route : app::public_routes("", {}, nullptr))
    routes_.push_back(std::move(route.operation));
}

std::set<std::string> Catalogue::allowed_at(const Route& route) const {
  std::set<std::string> methods{"OPTIONS"};
  for (const auto& other : routes_) {
    if (!same_place(route, other)) continue;
    methods.insert(method_of(other));
    if (other.method == operations::Method::get) methods.insert("HEAD");
  }
  return methods;
}

bool Catalogue::has_path(std::string_view raw) const {
  if (!raw.starts_with('/')) return false;
  raw.remove_prefix(1);
  if (raw.ends_with('/')) raw.remove_suffix(1);
  std::vector<std::string> segments;
  for (const auto part : std::views::split(raw, '/')) {
    auto segment = decoded(std::string_view{part});
    if (!segment) return false;
    segments.push_back(std::move(*segment));
  }
  return std::ranges::any_of(routes_, [&](const Route& route) {
    return std::ranges::equal(segments_of(route.path), segments,
                              [](const std::string& known, const std::string& asked) {
                                return is_parameter(known) || known == asked;
                              });
  });
}

const Route* Catalogue::sibling(const Route& route, operations::Method method) const {
  const auto found = std::ranges::find_if(routes_, [&](const Route& other) {
    return other.method == method && same_place(route, other);
  });
  return found == routes_.end() ? nullptr : &*found;
}

std::string method_of(const Route& route) { return std::string{operations::name_of(route.method)}; }

bool is_write(const Route& route) {
  return route.method != operations::Method::get && route.method != operations::Method::head &&
         !route.access.scope_name().ends_with(":read");
}

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  for (const auto part : std::views::split(path, '/')) {
    if (!std::string_view{part}.empty()) segments.emplace_back(std::string_view{part});
  }
  return segments;
}

bool is_parameter(std::string_view segment) { return segment.starts_with('{'); }

std::size_t count_parameters(const Route& route) {
  return static_cast<std::size_t>(std::ranges::count(route.path, '{'));
}

bool has_parameters(const Route& route) { return count_parameters(route) > 0; }

std::string path_with(std::string_view path, const std::vector<std::string>& values) {
  std::string result;
  std::size_t next = 0;
  for (const auto& segment : segments_of(path)) {
    const bool given = is_parameter(segment) && next < values.size();
    result += "/" + (given ? percent_encoded(values[next++]) : segment);
  }
  return path.ends_with('/') ? result + "/" : result;
}

std::string missing_path(const Route& route) {
  return path_with(route.path,
                   std::vector<std::string>(count_parameters(route), "zzmissing@example.com"));
}

std::string other_slash(std::string path) {
  path.ends_with('/') ? path.pop_back() : path.push_back('/');
  return path;
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::string_view{"-._~@+:"}.contains(c);
    result += plain ? std::string{c} : std::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string good_value(const operations::QueryParameter& parameter) {
  const json::Schema& schema = parameter.schema;
  if (!schema.options.empty()) return schema.options.front();
  if (schema.type == "integer") return std::to_string(schema.minimum.value_or(1));
  if (schema.type == "boolean") return "true";
  if (schema.format == "date-time") return "2027-01-31T09:30:00Z";
  return "x";
}

std::vector<std::string> bad_values(const operations::QueryParameter& parameter) {
  const json::Schema& schema = parameter.schema;
  if (!schema.options.empty()) return {"zzz", "", schema.options.front() + "%20"};
  if (schema.type == "integer") {
    std::vector<std::string> values{"",    "x",  "1.5",  "1e3",
                                    "0x1", "+1", "%201", "99999999999999999999"};
    if (schema.minimum) values.push_back(std::to_string(*schema.minimum - 1));
    if (schema.maximum) values.push_back(std::to_string(*schema.maximum + 1));
    return values;
  }
  if (schema.type == "boolean") return {"", "1", "yes", "TRUE"};
  if (schema.format == "date-time") return {"", "yesterday", "2027-01-31", "2027-02-30T00:00:00Z"};
  if (schema.format == "uuid") return {"", "x"};
  return {};
}

std::string creating_query(const Route& route) {
  std::string query;
  for (const auto& parameter : route.description.parameters) {
    if (parameter.schema.type == "boolean" && parameter.name.starts_with("create"))
      query += (query.empty() ? "?" : "&") + parameter.name + "=true";
  }
  return query;
}

std::string naming_query(const Route& route, std::string_view contact) {
  const bool names = route.path.ends_with("/why") ||
                     (route.path == "/manage/runs/" && route.method == operations::Method::get);
  return names ? "?contactId=" + std::string{contact} : "";
}

std::string with_query(std::string path, std::string_view query) {
  path += path.contains('?') ? '&' : '?';
  path += query;
  return path;
}

bool upserts(const Route& route) {
  return route.method == operations::Method::patch && route.description.may_create &&
         creating_query(route).empty();
}

bool is_list(const Route& route) {
  return std::ranges::contains(route.description.parameters, "cursor",
                               &operations::QueryParameter::name);
}

}  // namespace shopbell::proofs

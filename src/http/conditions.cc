#include "http/conditions.h"

#include <algorithm>
#include <array>
#include <format>
#include <ranges>

#include "base/digest.h"
#include "base/text.h"
#include "compress/compress.h"

namespace shopbell::http {

namespace {

// "x-gzip" and "x" name the same state of the object.
std::string_view without_coding(std::string_view tag) {
  if (!tag.ends_with('"')) return tag;
  const std::string_view open = tag.substr(0, tag.size() - 1);
  for (const auto coding : {compress::Coding::gzip, compress::Coding::zstd}) {
    const std::string_view name = compress::name_of(coding);
    if (open.ends_with(name) && open.size() > name.size() &&
        open[open.size() - name.size() - 1] == '-')
      return open.substr(0, open.size() - name.size() - 1);
  }
  return open;
}

enum class Comparison { strong, weak };

bool names(std::string_view header, std::optional<std::string_view> tag, Comparison comparison) {
  if (header == "*") return tag.has_value();
  if (!tag) return false;
  return std::ranges::any_of(std::views::split(header, ','), [&](const auto part) {
    std::string_view listed = trimmed(std::string_view{part});
    if (comparison == Comparison::weak && listed.starts_with("W/")) listed.remove_prefix(2);
    return without_coding(listed) == without_coding(*tag);
  });
}

// A list of tags may be spread over several lines of the same header.
bool any_names(const Request& request, std::string_view header, std::optional<std::string_view> tag,
               Comparison comparison) {
  return std::ranges::any_of(request.headers, [&](const auto& line) {
    return line.first == header && names(line.second, tag, comparison);
  });
}

}  // namespace

std::string version_tag(Instant created_at, std::int64_t version, std::string_view shape) {
  return std::format("\"{:x}.{}-{}\"", created_at.time_since_epoch().count(), version, shape);
}

std::string shape_of(const json::Schema& schema) {
  json::Writer writer;
  json::write(writer, schema);
  return to_hex(sha256(writer.finish())).substr(0, 6);
}

std::string coded_tag(std::string_view tag, std::string_view coding) {
  return std::format("{}-{}\"", tag.substr(0, tag.size() - 1), coding);
}

bool is_known(const Request& request, std::string_view tag) {
  return any_names(request, "if-none-match", tag, Comparison::weak);
}

void check_conditions(const Call& call, std::optional<std::string_view> tag) {
  const Request& request = call.request();
  if (!request.header("if-match").empty() &&
      !any_names(request, "if-match", tag, Comparison::strong)) {
    throw Problem{Code::precondition_failed,
                  tag ? "The object has changed since it had the tag in If-Match."
                      : "If-Match asks for an object that is there, and there is none."};
  }
  if (any_names(request, "if-none-match", tag, Comparison::weak)) {
    throw Problem{Code::precondition_failed,
                  "If-None-Match asks for an object that is not there, and there is one."};
  }
}

}  // namespace shopbell::http

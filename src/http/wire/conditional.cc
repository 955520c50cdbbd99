#include "http/wire/conditional.h"

#include <format>
#include <ranges>

#include "base/text.h"
#include "compress/compress.h"

namespace shopbell::http {

namespace {

// "x-gzip" → "x", both with their quotes.
std::string without_coding(std::string_view tag) {
  if (!tag.ends_with('"')) return std::string{tag};
  const std::string_view open = tag.substr(0, tag.size() - 1);
  for (const auto coding : {compress::Coding::gzip, compress::Coding::zstd}) {
    const std::string_view name = compress::name_of(coding);
    if (open.ends_with(name) && open.size() > name.size() &&
        open[open.size() - name.size() - 1] == '-')
      return std::format("{}\"", open.substr(0, open.size() - name.size() - 1));
  }
  return std::string{tag};
}

void add_tags(operations::TagList& tags, std::string_view header) {
  if (header == "*") {
    tags.any = true;
    return;
  }
  for (const auto part : std::views::split(header, ',')) {
    std::string_view tag = trimmed(std::string_view{part});
    const bool weak = tag.starts_with("W/");
    if (weak) tag.remove_prefix(2);
    (weak ? tags.weak : tags.strong).push_back(without_coding(tag));
  }
}

// A list may be spread over several header lines of the same name.
std::optional<operations::TagList> tags_of(const Request& request, std::string_view name) {
  if (request.header(name).empty()) return std::nullopt;
  operations::TagList tags;
  for (const auto& [header, value] : request.headers)
    if (header == name) add_tags(tags, value);
  return tags;
}

}  // namespace

operations::Conditions conditions_of(const Request& request) {
  return {.if_match = tags_of(request, "if-match"),
          .if_none_match = tags_of(request, "if-none-match")};
}

std::string coded_tag(std::string_view tag, std::string_view coding) {
  return std::format("{}-{}\"", tag.substr(0, tag.size() - 1), coding);
}

}  // namespace shopbell::http

#include "operations/page.h"

#include <algorithm>
#include <charconv>
#include <format>

#include "base/digest.h"
#include "base/limits.h"

namespace shopbell::operations {

namespace {

constexpr std::size_t kSignature = 16;  // bytes of the signature in a cursor

// The signed text: everything the cursor is bound to, and the position. Lengths separate the parts.
std::string bound(const Input& input, std::string_view position) {
  std::string text = std::format("{} {}", input.account(), input.operation().description.id);
  for (const auto& [name, value] : input.path_parameters())
    text += std::format(" {}:{}", value.size(), value);
  for (const auto& parameter : input.operation().description.parameters) {
    if (parameter.name == "cursor" || parameter.name == "limit") continue;
    const auto value = input.parameter(parameter.name);
    if (value) text += std::format(" {}={}:{}", parameter.name, value->size(), *value);
  }
  for (const auto& [name, value] : input.family())
    text += std::format(" {}:{}={}:{}", name.size(), name, value.size(), value);
  return std::format("{} {}", text, position);
}

std::string to_cursor(const Input& input, std::string_view position) {
  const Sha256 hash = input.keyring().hash(keyring::Purpose::cursors, bound(input, position));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(position.data());
  return to_hex(std::span{hash}.first(kSignature)) + to_hex({bytes, position.size()});
}

std::string position_of(const Input& input, std::string_view cursor) {
  const auto bytes = from_hex(cursor);
  if (bytes && bytes->size() > kSignature) {
    const std::string position{bytes->begin() + kSignature, bytes->end()};
    const auto signature = std::span{*bytes}.first(kSignature);
    for (const auto& hash : input.keyring().recent_hashes(
             keyring::Purpose::cursors, bound(input, position), limits::kCursorValid)) {
      if (same_secret(std::span{hash}.first(kSignature), signature)) return position;
    }
  }
  throw Problem{
      Code::invalid_cursor,
      "The cursor does not belong to this list with these filters, this order and this account.",
      {{Fault::Where::parameter, "cursor", "invalid-format", "Is not a cursor of this list."}}};
}

}  // namespace

PageRequest read_page_request(const Input& input) {
  PageRequest page{.limit = limits::kPageDefault,
                   .ascending = input.parameter("order").value_or("desc") == "asc"};
  if (const auto limit = input.parameter("limit"))
    std::from_chars(limit->data(), limit->data() + limit->size(), page.limit);
  if (const auto cursor = input.parameter("cursor")) page.after = position_of(input, *cursor);
  return page;
}

std::vector<QueryParameter> page_parameters(std::vector<QueryParameter> filters) {
  filters.push_back({"limit",
                     "Items per page.",
                     {.type = "integer",
                      .default_value = std::to_string(limits::kPageDefault),
                      .minimum = 1,
                      .maximum = limits::kPageMost}});
  filters.push_back({"cursor", "`nextCursor` of the previous page.", {.type = "string"}});
  filters.push_back({"order",
                     "`desc`: newest first.",
                     {.type = "string", .default_value = R"("desc")", .options = {"asc", "desc"}}});
  return filters;
}

json::Schema page_schema(const std::string& item_name) {
  json::Schema data{.type = "array"};
  data.items = {{.reference = item_name}};
  json::Schema page{.type = "object", .description = "One page of a list."};
  page.members = {
      {"data", std::move(data)},
      {"nextCursor",
       {.type = "string",
        .description = "Pass it as `cursor` to get the next page; null on the last page.",
        .nullable = true}}};
  return page;
}

Output end_page(const Input& input, json::Writer& writer, const std::optional<std::string>& next) {
  writer.key("nextCursor");
  const auto cursor =
      next.transform([&](const std::string& position) { return to_cursor(input, position); });
  cursor ? writer.text(*cursor) : writer.null();
  writer.end();
  Output output = Output::json(writer.finish());
  output.next_cursor = cursor;
  return output;
}

}  // namespace shopbell::operations

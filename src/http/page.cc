#include "http/page.h"

#include <algorithm>
#include <charconv>
#include <format>

#include "base/digest.h"
#include "base/limits.h"

namespace shopbell::http {

namespace {

constexpr std::size_t kSignature = 16;  // bytes of the hash that a cursor carries

// Everything a cursor is bound to, and the position itself. Lengths keep the parts apart.
std::string bound(const Call& call, std::string_view position) {
  std::string text = std::format("{} {}", call.account(), call.route().operation.id);
  for (const auto& [name, value] : call.path_parameters())
    text += std::format(" {}:{}", value.size(), value);
  for (const auto& parameter : call.route().operation.parameters) {
    if (parameter.name == "cursor" || parameter.name == "limit") continue;
    const auto value = call.parameter(parameter.name);
    if (value) text += std::format(" {}={}:{}", parameter.name, value->size(), *value);
  }
  for (const auto& [name, value] : call.family())
    text += std::format(" {}:{}={}:{}", name.size(), name, value.size(), value);
  return std::format("{} {}", text, position);
}

std::string to_cursor(const Call& call, std::string_view position) {
  const Sha256 hash = call.keyring().hash(keyring::Purpose::cursors, bound(call, position));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(position.data());
  return to_hex(std::span{hash}.first(kSignature)) + to_hex({bytes, position.size()});
}

std::string position_of(const Call& call, std::string_view cursor) {
  const auto bytes = from_hex(cursor);
  if (bytes && bytes->size() > kSignature) {
    const std::string position{bytes->begin() + kSignature, bytes->end()};
    const auto signature = std::span{*bytes}.first(kSignature);
    for (const auto& hash :
         call.keyring().hashes(keyring::Purpose::cursors, bound(call, position))) {
      if (same_secret(std::span{hash}.first(kSignature), signature)) return position;
    }
  }
  throw Problem{
      Code::invalid_cursor,
      "The cursor was not made by this service for this list, these filters, this order "
      "and this key's account.",
      {{Fault::Where::parameter, "cursor", "invalid-format", "Not a cursor of this list."}}};
}

// The same list from another position.
std::string next_target(const Call& call, const std::string& cursor) {
  std::string target{call.request().path()};
  char before = '?';
  std::string_view query = call.request().query();
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty() || pair.starts_with("cursor=")) continue;
    target += std::exchange(before, '&');
    target += pair;
  }
  return std::format("{}{}cursor={}", target, before, cursor);
}

}  // namespace

PageWish read_page_wish(const Call& call) {
  PageWish wish{.limit = limits::kPageDefault,
                .ascending = call.parameter("order").value_or("desc") == "asc"};
  if (const auto limit = call.parameter("limit"))
    std::from_chars(limit->data(), limit->data() + limit->size(), wish.limit);
  if (const auto cursor = call.parameter("cursor")) wish.after = position_of(call, *cursor);
  return wish;
}

std::vector<QueryParameter> page_parameters(std::vector<QueryParameter> filters) {
  filters.push_back({"limit",
                     "How many at most.",
                     {.type = "integer",
                      .default_value = std::to_string(limits::kPageDefault),
                      .minimum = 1,
                      .maximum = limits::kPageMost}});
  filters.push_back({"cursor", "`nextCursor` of the page before.", {.type = "string"}});
  filters.push_back({"order",
                     "`desc`: newest first.",
                     {.type = "string", .default_value = R"("desc")", .options = {"asc", "desc"}}});
  return filters;
}

json::Schema page_schema(const std::string& item_name) {
  json::Schema data{.type = "array"};
  data.items = {{.reference = item_name}};
  json::Schema page{.type = "object", .description = "One page of a list."};
  page.members = {{"data", std::move(data)},
                  {"nextCursor",
                   {.type = "string",
                    .description = "Gives the next page; null: this was the last.",
                    .nullable = true}}};
  return page;
}

Response end_page(const Call& call, json::Writer& writer, const std::optional<std::string>& next) {
  writer.key("nextCursor");
  const auto cursor =
      next.transform([&](const std::string& position) { return to_cursor(call, position); });
  cursor ? writer.text(*cursor) : writer.null();
  writer.end();
  Response response = Response::json(writer.finish());
  if (cursor)
    response.headers.emplace_back("Link",
                                  std::format("<{}>; rel=\"next\"", next_target(call, *cursor)));
  return response;
}

}  // namespace shopbell::http

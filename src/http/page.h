// Pages: lists of any length, a bit at a time. A cursor says where the page before ended; it is
// signed, and bound to the account, the path, the filters and the order it was made for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "http/call.h"
#include "http/route.h"
#include "json/fields.h"

namespace shopbell::http {

// What the caller asks for.
struct PageWish {
  std::int64_t limit = 0;
  bool ascending = false;            // else newest first
  std::optional<std::string> after;  // the position the page before ended at
};

// Throws invalid-cursor for a cursor that was made for something else.
PageWish read_page_wish(const Call& call);

// `limit`, `cursor` and `order`, after the list's own filters.
std::vector<QueryParameter> page_parameters(std::vector<QueryParameter> filters = {});
json::Schema page_schema(const std::string& item_name);

// Ends a page whose `data` is written; `next` is the position it ends at, when there is more.
Response end_page(const Call& call, json::Writer& writer, const std::optional<std::string>& next);

// `found` are the resources asked for and one more, if there is one: then there is a next page,
// from the position of the last that is shown.
template <class Resource, class Position>
Response page_answer(const Call& call, const PageWish& wish, const json::Table<Resource>& table,
                     std::span<const Resource> found, Position position) {
  const auto shown = found.first(std::min(found.size(), static_cast<std::size_t>(wish.limit)));
  json::Writer writer;
  writer.begin_object().key("data").begin_list();
  for (const auto& resource : shown) table.write(writer, resource);
  writer.end();
  std::optional<std::string> next;
  if (shown.size() < found.size()) next = position(shown.back());
  return end_page(call, writer, next);
}

}  // namespace shopbell::http

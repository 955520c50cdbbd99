// Pagination. A cursor holds the position at which the previous page ended. It is signed, and bound
// to the account, the path, the filters and the order it was made for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "json/fields.h"
#include "operations/input.h"
#include "operations/operation.h"

namespace shopbell::operations {

// The page that the caller asks for.
struct PageRequest {
  std::int64_t limit = 0;
  bool ascending = false;            // oldest first; else newest first
  std::optional<std::string> after;  // the position at which the previous page ended
};

// Throws invalid-cursor if the cursor was made for another list.
PageRequest read_page_request(const Input& input);

// `limit`, `cursor` and `order`, after the list's own filters.
std::vector<QueryParameter> page_parameters(std::vector<QueryParameter> filters = {});
json::Schema page_schema(const std::string& item_name);

// Ends a page whose `data` is written. `next` is its last position if more items follow.
Output end_page(const Input& input, json::Writer& writer, const std::optional<std::string>& next);

// `found` has one resource more than the page if a next page exists. The next page starts after the
// last resource shown.
template <class Resource, class Position>
Output page_output(const Input& input, const PageRequest& page, const json::Table<Resource>& table,
                   std::span<const Resource> found, Position position) {
  const auto shown = found.first(std::min(found.size(), static_cast<std::size_t>(page.limit)));
  json::Writer writer;
  writer.begin_object().key("data").begin_list();
  for (const auto& resource : shown) table.write(writer, resource);
  writer.end();
  std::optional<std::string> next;
  if (shown.size() < found.size()) next = position(shown.back());
  return end_page(input, writer, next);
}

}  // namespace shopbell::operations

// Pages: lists of any length, a bit at a time. A cursor says where the page before ended; it is
// signed, and bound to the account, the operation, the filters and the order it was made for.
#pragma once

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

// `items` is JSON; `next` the position it ends at, when there is more.
Response page_answer(const Call& call, std::span<const std::string> items,
                     const std::optional<std::string>& next);

}  // namespace shopbell::http

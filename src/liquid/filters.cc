#include "liquid/filters.h"

#include <algorithm>
#include <map>

namespace shopbell::liquid {

namespace {

using Table = std::map<std::string_view, const Filter*>;

const Table& table() {
  static const Table filters = [] {
    Table all;
    for (const auto part :
         {text_filters(), html_filters(), number_filters(), list_filters(), format_filters()})
      for (const Filter& filter : part) all.emplace(filter.name, &filter);
    return all;
  }();
  return filters;
}

}  // namespace

const Filter* find_filter(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

std::vector<std::string_view> filter_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, filter] : table()) names.push_back(name);
  return names;
}

}  // namespace shopbell::liquid

// Filters: the functions after `|`. Each reads a value and its arguments, and returns a value.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "liquid/workspace.h"

namespace shopbell::liquid {

struct FilterInput {
  Workspace& work;
  const Value& value;
  std::span<const Value> arguments;
  bool allow_false = false;   // of `default`
  std::string_view currency;  // of the object from which the value was read, if any

  bool has_argument(std::size_t at) const { return at < arguments.size(); }
  std::string_view text() const { return work.text_of(value); }
  std::string_view text_argument(std::size_t at) const { return work.text_of(arguments[at]); }
};

struct Filter {
  std::string_view name;
  std::size_t arguments_min = 0;
  std::size_t arguments_max = 0;
  Value (*apply)(const FilterInput&) = nullptr;
  std::size_t steps = 1;  // what one call costs, apart from the bytes that it processes
};

// Returns null if there is no filter of that name.
const Filter* find_filter(std::string_view name);
std::vector<std::string_view> filter_names();

// The filters of each file.
std::span<const Filter> text_filters();
std::span<const Filter> html_filters();
std::span<const Filter> number_filters();
std::span<const Filter> list_filters();
std::span<const Filter> format_filters();

// The value as JSON. Nil becomes null.
std::string json_of(Workspace& work, const Value& value);

// The first part of a date format, "%Q", that `date` does not know; empty if there is none.
std::string_view unknown_conversion(std::string_view format);

}  // namespace shopbell::liquid

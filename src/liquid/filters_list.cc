// Filters on lists, and those that accept lists and texts.
#include <algorithm>
#include <array>
#include <set>

#include "base/letter_case.h"
#include "base/text.h"
#include "liquid/characters.h"
#include "liquid/filters.h"

namespace shopbell::liquid {

namespace {

std::span<const Value> items(const FilterInput& in) {
  const List list = in.work.items_of(in.value);
  return {list.items, list.size};
}

Value first(const FilterInput& in) {
  if (const auto* text = in.value.as<std::string_view>()) return characters(*text, 0, 1);
  if (!is_list(in.value)) return Nil{};
  const auto list = items(in);
  return list.empty() ? Value{} : list.front();
}

Value last(const FilterInput& in) {
  if (const auto* text = in.value.as<std::string_view>()) {
    if (text->empty()) return *text;
    std::size_t begin = text->size() - 1;
    while (begin > 0 && (static_cast<unsigned char>((*text)[begin]) & 0xC0U) == 0x80U) --begin;
    return text->substr(begin);
  }
  if (!is_list(in.value)) return Nil{};
  const auto list = items(in);
  return list.empty() ? Value{} : list.back();
}

Value size(const FilterInput& in) {
  if (!is_list(in.value) && !in.value.is<std::string_view>()) return whole_number(0);
  return in.work.member(in.value, "size");
}

// A list within the list is joined by commas.
void append_joined(const FilterInput& in, std::span<const Value> list, std::string_view separator,
                   std::string& text) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) in.work.append(text, separator);
    in.work.step();
    if (is_list(list[i])) {
      const List inner = in.work.items_of(list[i]);
      append_joined(in, {inner.items, inner.size}, ",", text);
    } else {
      in.work.append(text, in.work.text_of(list[i]));
    }
  }
}

Value join(const FilterInput& in) {
  const bool given = in.has_argument(0) && !in.arguments[0].is<Nil>();
  std::string text;
  append_joined(in, items(in), given ? in.text_argument(0) : " ", text);
  return in.work.keep(text);
}

Value reverse(const FilterInput& in) {
  const auto list = items(in);
  const std::vector<Value> reversed{list.rbegin(), list.rend()};
  return in.work.keep(reversed);
}

Value compact(const FilterInput& in) {
  std::vector<Value> kept;
  for (const Value& item : items(in))
    if (!item.is<Nil>()) kept.push_back(item);
  return in.work.keep(kept);
}

Value concat(const FilterInput& in) {
  const auto left = items(in);
  const List right = in.work.items_of(in.arguments[0]);
  const std::span<Value> all = in.work.reserve(left.size() + right.size);
  std::ranges::copy(left, all.begin());
  std::copy_n(right.items, right.size, all.begin() + static_cast<std::ptrdiff_t>(left.size()));
  return List{all.data(), all.size()};
}

Value uniq(const FilterInput& in) {
  std::set<std::string_view> seen;
  std::vector<Value> kept;
  for (const Value& item : items(in)) {
    const auto* number = item.as<Number>();
    const std::string key = number ? number->value.to_string() : json_of(in.work, item);
    if (seen.insert(in.work.keep(key)).second) kept.push_back(item);
  }
  return in.work.keep(kept);
}

Value map(const FilterInput& in) {
  const std::string_view path = in.text_argument(0);
  std::vector<Value> mapped;
  for (const Value& item : items(in)) mapped.push_back(in.work.at_path(item, path));
  return in.work.keep(mapped);
}

// Without a value it keeps the objects whose member is true.
Value where(const FilterInput& in) {
  const std::string_view path = in.text_argument(0);
  const bool compares = in.has_argument(1) && !in.arguments[1].is<Nil>();
  std::vector<Value> kept;
  for (const Value& item : items(in)) {
    const Value member = in.work.at_path(item, path);
    if (compares ? are_equal(in.work, member, in.arguments[1]) : is_true(member))
      kept.push_back(item);
  }
  return in.work.keep(kept);
}

Value sum(const FilterInput& in) {
  Number total;
  for (const Value& item : items(in)) {
    in.work.step();
    const Value value = in.has_argument(0) ? in.work.at_path(item, in.text_argument(0)) : item;
    const auto sum = sum_of(total, number_of(value));
    if (!sum) throw Stop{"The sum has more than 18 digits before the decimal point."};
    total = *sum;
  }
  return total;
}

struct Sorted {
  Value key;
  Value item;
};

// Values of different types are sorted by type, so that the order is the same each time; nil comes
// last.
int rank_of(const Value& value) {
  if (value.is<Number>()) return 0;
  if (value.is<std::string_view>()) return 1;
  if (value.is<bool>()) return 2;
  return value.is<Nil>() ? 4 : 3;
}

Value sorted(const FilterInput& in, Value (*key_of)(Workspace&, const Value&)) {
  std::vector<Sorted> list;
  for (const Value& item : items(in)) {
    const Value member = in.has_argument(0) && !in.arguments[0].is<Nil>()
                             ? in.work.at_path(item, in.text_argument(0))
                             : item;
    list.push_back({key_of(in.work, member), item});
  }
  std::ranges::stable_sort(list, [&](const Sorted& left, const Sorted& right) {
    const auto* text = left.key.as<std::string_view>();
    in.work.step(text == nullptr ? 0 : text->size());
    const int ranks = rank_of(left.key) - rank_of(right.key);
    return ranks != 0 ? ranks < 0 : order_of(left.key, right.key).value_or(0) < 0;
  });
  const std::span<Value> items = in.work.reserve(list.size());
  std::ranges::transform(list, items.begin(), &Sorted::item);
  return List{items.data(), items.size()};
}

Value sort(const FilterInput& in) {
  return sorted(in, [](Workspace&, const Value& value) { return value; });
}

// Without regard to case, also of numbers.
Value sort_natural(const FilterInput& in) {
  return sorted(in, [](Workspace& work, const Value& value) -> Value {
    if (value.is<Nil>()) return Nil{};
    return work.keep(lower_case(work.text_of(value)));
  });
}

// Of a list or of the characters of a text. A negative start counts from the end.
Value slice(const FilterInput& in) {
  if (in.value.is<Nil>()) return List{};
  const bool list = is_list(in.value);
  const auto elements = list ? items(in) : std::span<const Value>{};
  const std::string_view text = list ? std::string_view{} : in.text();
  const auto size = static_cast<std::int64_t>(list ? elements.size() : count_characters(text));
  std::int64_t begin = to_integer(number_of(in.arguments[0]));
  const std::int64_t length = in.has_argument(1) ? to_integer(number_of(in.arguments[1])) : 1;
  if (begin < 0) begin += size;
  const bool none = begin < 0 || length < 0 || begin >= size;
  const auto from = static_cast<std::size_t>(none ? 0 : begin);
  const auto count = static_cast<std::size_t>(none ? 0 : std::min(length, size - begin));
  if (!list) return characters(text, from, count);
  return in.work.keep(elements.subspan(from, count));
}

Value default_value(const FilterInput& in) {
  const auto* truth = in.value.as<bool>();
  if (truth != nullptr && !*truth && in.allow_false) return false;
  const bool object = in.value.is<Object>();
  const bool missing = !is_true(in.value) || in.value.is<Special>() || is_empty(in.value);
  return missing && !object ? in.arguments[0] : in.value;
}

constexpr std::array kListFilters{
    Filter{"compact", 0, 0, compact},
    Filter{"concat", 1, 1, concat},
    Filter{"default", 1, 1, default_value},
    Filter{"first", 0, 0, first},
    Filter{"join", 0, 1, join},
    Filter{"last", 0, 0, last},
    Filter{"map", 1, 1, map},
    Filter{"reverse", 0, 0, reverse},
    Filter{"size", 0, 0, size},
    Filter{"slice", 1, 2, slice},
    Filter{"sort", 0, 1, sort},
    Filter{"sort_natural", 0, 1, sort_natural},
    Filter{"sum", 0, 1, sum},
    Filter{"uniq", 0, 0, uniq},
    Filter{"where", 1, 2, where},
};

}  // namespace

std::span<const Filter> list_filters() { return kListFilters; }

}  // namespace shopbell::liquid

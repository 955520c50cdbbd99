#include <algorithm>

#include "liquid/characters.h"
#include "liquid/workspace.h"

namespace shopbell::liquid {

namespace {

bool equals_special(const Value& special, const Value& other) {
  if (other.is<Special>()) return false;
  return *special.as<Special>() == Special::empty ? is_empty(other) : is_blank(other);
}

bool are_lists_equal(Workspace& work, const Value& left, const Value& right) {
  const List a = work.items_of(left);
  const List b = work.items_of(right);
  if (a.size != b.size) return false;
  for (std::size_t i = 0; i < a.size; ++i)
    if (!are_equal(work, a.items[i], b.items[i])) return false;
  return true;
}

template <class Any>
int sign_of(const Any& left, const Any& right) {
  return left < right ? -1 : right < left ? 1 : 0;
}

}  // namespace

bool are_equal(Workspace& work, const Value& left, const Value& right) {
  for (const Value* side : {&left, &right}) {
    const auto* text = side->as<std::string_view>();
    work.step(text == nullptr ? 0 : text->size());
  }
  if (left.is<Special>()) return equals_special(left, right);
  if (right.is<Special>()) return equals_special(right, left);
  if (left.is<Nil>() || right.is<Nil>()) return left.is<Nil>() && right.is<Nil>();
  if (is_list(left) && is_list(right)) return are_lists_equal(work, left, right);
  const auto* object = left.as<Object>();
  const auto* other = right.as<Object>();
  if (object != nullptr && other != nullptr) {
    const std::string json = object->json.to_json();
    const std::string other_json = other->json.to_json();
    work.step(json.size() + other_json.size());
    return json == other_json;
  }
  return order_of(left, right) == 0;
}

std::optional<int> order_of(const Value& left, const Value& right) {
  const auto* number = left.as<Number>();
  const auto* other_number = right.as<Number>();
  if (number != nullptr && other_number != nullptr)
    return sign_of(number->value, other_number->value);
  const auto* text = left.as<std::string_view>();
  const auto* other_text = right.as<std::string_view>();
  if (text != nullptr && other_text != nullptr) return sign_of(*text, *other_text);
  const auto* truth = left.as<bool>();
  const auto* other_truth = right.as<bool>();
  if (truth != nullptr && other_truth != nullptr) return sign_of(*truth, *other_truth);
  return std::nullopt;
}

bool contains(Workspace& work, const Value& whole, const Value& part) {
  if (is_list(whole)) {
    const List list = work.items_of(whole);
    return std::any_of(list.items, list.items + list.size,
                       [&](const Value& item) { return are_equal(work, item, part); });
  }
  const auto* text = whole.as<std::string_view>();
  if (text == nullptr || part.is<Nil>()) return false;
  const std::string_view wanted = work.text_of(part);
  work.step(text->size());
  work.step_for_search(*text, wanted);
  return find_in(*text, wanted) != std::string_view::npos;
}

}  // namespace shopbell::liquid

#include "liquid/value.h"

#include "liquid/characters.h"

namespace shopbell::liquid {

Value from_json(const json::Value& json, bool in_lines, std::string_view name) {
  switch (json.type()) {
    case json::Type::null:
      return Nil{};
    case json::Type::boolean:
      return json.boolean();
    case json::Type::number:
      if (const auto number = parse_number(json.number_text())) return *number;
      return json.number_text();  // too large to compute with
    case json::Type::text:
      return json.text();
    case json::Type::list:
      return JsonList{json, name == "lines"};
    case json::Type::object:
      break;
  }
  return Object{json, in_lines};
}

bool is_true(const Value& value) {
  if (const auto* truth = value.as<bool>()) return *truth;
  return !value.is<Nil>();
}

bool is_empty(const Value& value) {
  if (const auto* text = value.as<std::string_view>()) return text->empty();
  if (const auto* list = value.as<List>()) return list->size == 0;
  if (const auto* list = value.as<JsonList>()) return list->json.size() == 0;
  if (const auto* object = value.as<Object>()) return object->json.size() == 0;
  return false;
}

bool is_blank(const Value& value) {
  if (value.is<Nil>()) return true;
  if (const auto* truth = value.as<bool>()) return !*truth;
  if (const auto* text = value.as<std::string_view>())
    return blanks_at_start(*text) == text->size();
  return is_empty(value);
}

std::optional<Number> number_if_any(const Value& value) {
  if (const auto* number = value.as<Number>()) return *number;
  if (const auto* text = value.as<std::string_view>()) return parse_number(*text);
  return std::nullopt;
}

Number number_of(const Value& value) {
  if (const auto* truth = value.as<bool>()) return whole_number(*truth ? 1 : 0);
  return number_if_any(value).value_or(Number{});
}

}  // namespace shopbell::liquid

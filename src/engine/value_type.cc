#include "engine/value_type.h"

#include <array>

namespace shopbell::engine {

namespace {

using Kind = ValueType::Kind;

std::vector<std::string> option_ids(const json::Value& field) {
  std::vector<std::string> ids;
  const auto options = field.member("options");
  if (!options || options->type() != json::Type::list) return ids;
  options->for_each([&](std::string_view, const json::Value& option) {
    if (const auto id = option.member("id")) ids.emplace_back(id->text());
  });
  return ids;
}

ValueType type_of_event_field(const json::Value& field) {
  const auto type = field.member("type");
  if (!type || type->type() != json::Type::text) return {};
  if (type->text() == "object") {
    const auto fields = field.member("fields");
    return fields ? type_of_fields(*fields, false) : object_of({}, true);
  }
  if (type->text() == "list") {
    const auto items = field.member("items");
    return list_of(items ? type_of_event_field(*items) : ValueType{});
  }
  if (type->text() == "lines") return list_of(object_of({}, true));
  return type_of_field(type->text(), option_ids(field));
}

}  // namespace

ValueType list_of(ValueType item) { return {.kind = Kind::list, .item = {std::move(item)}}; }

ValueType object_of(std::map<std::string, ValueType> members, bool open) {
  return {.kind = Kind::object, .members = std::move(members), .open = open};
}

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 8> kNames{
      "anything", "a text", "a number", "true or false", "a date", "a time", "a list", "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool comparable(const ValueType& a, const ValueType& b) {
  if (a.kind == Kind::any || b.kind == Kind::any || a.kind == b.kind) return true;
  return a.is_moment() && b.is_moment();
}

std::optional<ValueType> member_at(const ValueType& type, std::string_view path) {
  if (path.empty()) return type;
  if (type.kind == Kind::any) return ValueType{};
  if (type.kind != Kind::object) return std::nullopt;
  const auto dot = std::min(path.find('.'), path.size());
  const auto found = type.members.find(std::string{path.substr(0, dot)});
  path.remove_prefix(std::min(dot + 1, path.size()));
  if (found == type.members.end()) return type.open ? std::optional{ValueType{}} : std::nullopt;
  return member_at(found->second, path);
}

ValueType type_of_field(std::string_view type, std::vector<std::string> options) {
  if (type == "integer" || type == "decimal") return {.kind = Kind::number};
  if (type == "boolean") return {.kind = Kind::boolean};
  if (type == "date") return {.kind = Kind::date};
  if (type == "dateTime") return {.kind = Kind::time};
  ValueType text{.kind = Kind::text, .options = std::move(options)};
  return type == "choices" ? list_of(std::move(text)) : text;
}

ValueType type_of_fields(const json::Value& fields, bool open) {
  ValueType object = object_of({}, open);
  fields.for_each([&](std::string_view, const json::Value& field) {
    if (const auto id = field.member("id"))
      object.members.emplace(id->text(), type_of_event_field(field));
  });
  return object;
}

ValueType type_of_schema(const json::Schema& schema) {
  if (schema.type == "string") {
    if (schema.format == "date-time") return {.kind = Kind::time};
    if (schema.format == "date") return {.kind = Kind::date};
    return {.kind = Kind::text, .options = schema.options};
  }
  if (schema.type == "integer" || schema.type == "number") return {.kind = Kind::number};
  if (schema.type == "boolean") return {.kind = Kind::boolean};
  if (schema.type == "array")
    return list_of(schema.items.empty() ? ValueType{} : type_of_schema(schema.items.front()));
  if (schema.type != "object") return {};
  ValueType object = object_of({}, schema.open);
  for (const auto* members : {&schema.members, &schema.optional_members}) {
    for (const auto& [name, member] : *members)
      object.members.emplace(name, type_of_schema(member));
  }
  return object;
}

}  // namespace shopbell::engine

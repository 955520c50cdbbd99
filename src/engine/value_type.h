// ValueType: the type of a value that a definition refers to, as far as it is known before a run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/document.h"
#include "json/schema.h"

namespace shopbell::engine {

struct ValueType {
  enum class Kind { any, text, number, boolean, date, time, list, object };

  Kind kind = Kind::any;
  std::vector<std::string> options;          // allowed values of a text
  std::vector<ValueType> item;               // type of a list's elements: one entry
  std::map<std::string, ValueType> members;  // types of an object's members
  bool open = false;                         // an object may have other members, of any type

  bool is_moment() const { return kind == Kind::date || kind == Kind::time; }
};

ValueType list_of(ValueType item);
ValueType object_of(std::map<std::string, ValueType> members, bool open = false);
std::string_view name_of(ValueType::Kind kind);

// True if values of the two types can be compared.
bool comparable(const ValueType& a, const ValueType& b);

// Returns the type at a path such as "data.lines.total"; nullopt if there is no such member.
std::optional<ValueType> member_at(const ValueType& type, std::string_view path);

// Returns the type of a contact field or of an event type's field, by the name of its type.
ValueType type_of_field(std::string_view type, std::vector<std::string> options);
// Returns the type of an event type's fields, from their stored JSON.
ValueType type_of_fields(const json::Value& fields, bool open);
ValueType type_of_schema(const json::Schema& schema);

}  // namespace shopbell::engine

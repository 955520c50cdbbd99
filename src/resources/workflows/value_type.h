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

namespace shopbell::workflows {

struct ValueType {
  enum class Kind { any, text, number, boolean, date, time, list, object };

  Kind kind = Kind::any;
  std::vector<std::string> options;          // of a text: the allowed values
  std::vector<ValueType> item;               // of a list: one, the type of its elements
  std::map<std::string, ValueType> members;  // of an object
  bool open = false;                         // of an object: may have other members, of any type

  bool is_moment() const { return kind == Kind::date || kind == Kind::time; }
};

ValueType list_of(ValueType item);
ValueType object_of(std::map<std::string, ValueType> members, bool open = false);
std::string_view name_of(ValueType::Kind kind);

// True if values of the two types can be compared.
bool comparable(const ValueType& a, const ValueType& b);

// The type at a path such as "data.lines.total"; nothing if there is no such member.
std::optional<ValueType> member_at(const ValueType& type, std::string_view path);

// The type of a contact field or of a field of an event type, by the name of its type.
ValueType type_of_field(std::string_view type, std::vector<std::string> options);
// The type of the fields of an event type, from their stored JSON.
ValueType type_of_fields(const json::Value& fields, bool open);
ValueType type_of_schema(const json::Schema& schema);

}  // namespace shopbell::workflows

// ValueType: what a reference in a definition leads to, as far as it is known before anything runs.
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
  std::vector<std::string> options;          // of a text: nothing else
  std::vector<ValueType> item;               // one, of a list
  std::map<std::string, ValueType> members;  // of an object
  bool open = false;                         // of an object: may have others, of any type

  bool is_moment() const { return kind == Kind::date || kind == Kind::time; }
};

ValueType list_of(ValueType item);
ValueType object_of(std::map<std::string, ValueType> members, bool open = false);
std::string_view name_of(ValueType::Kind kind);

// Whether values of the one can be compared with values of the other.
bool comparable(const ValueType& a, const ValueType& b);

// What "data.lines.total" is inside a type; nothing when there is no such thing.
std::optional<ValueType> member_at(const ValueType& type, std::string_view path);

// The type of a contact field or of a field of an event type, by the name of its type.
ValueType type_of_field(std::string_view type, std::vector<std::string> options);
// Of the fields of an event type, as they are kept.
ValueType type_of_fields(const json::Value& fields, bool open);
ValueType type_of_schema(const json::Schema& schema);

}  // namespace shopbell::workflows

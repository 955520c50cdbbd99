// Value: what an expression of a template yields. A value is small and owns nothing: texts and
// lists lie in the data, in the compiled template or in the arena of the rendering.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "json/document.h"
#include "liquid/number.h"

namespace shopbell::liquid {

struct Nil {};
enum class Special : std::uint8_t { empty, blank };  // the literals of these names
struct Products {};                                  // the root `products`, looked up by id

// An object of the data. `line`: an item of a list `lines`, which has a `product`.
struct Object {
  json::Value json;
  bool line = false;
};

// A list of the data that no one has walked yet. `lines`: the member of this name.
struct JsonList {
  json::Value json;
  bool lines = false;
};

struct Value;
struct List {
  const Value* items = nullptr;
  std::size_t size = 0;
};

// The state of a `for` loop: `forloop`.
struct Loop;

using AnyValue = std::variant<Nil, bool, Number, std::string_view, List, JsonList, Object, Special,
                              Products, const Loop*>;

struct Value : AnyValue {
  using AnyValue::AnyValue;

  template <class Kind>
  bool is() const {
    return std::holds_alternative<Kind>(*this);
  }
  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(static_cast<const AnyValue*>(this));
  }
};

struct Loop {
  Value item;
  std::size_t index = 0;
  std::size_t length = 0;
  std::string_view currency;  // of the nearest object around the list that has one
};

// `in_lines`: the value is an item of `lines`; `name`: the member's name.
Value from_json(const json::Value& json, bool in_lines = false, std::string_view name = {});

inline bool is_list(const Value& value) { return value.is<List>() || value.is<JsonList>(); }

// Only nil and false are false.
bool is_true(const Value& value);
bool is_empty(const Value& value);  // "", [] or {}
bool is_blank(const Value& value);  // also nil, false and white space

// nil is 0, true is 1, a text is the number that it contains or else 0.
Number number_of(const Value& value);
// Nullopt for a value that is no number and no text of one.
std::optional<Number> number_if_any(const Value& value);

}  // namespace shopbell::liquid

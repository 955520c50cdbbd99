// Field kinds: how each C++ type of a resource's member is written to and read from JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "json/reading.h"
#include "json/writer.h"

namespace shopbell::json {

// A value stored as JSON text.
struct Raw {
  std::string json;
  bool operator==(const Raw&) const = default;
};

namespace detail {

template <class Value>
struct Kind {
  using Plain = Value;
  static constexpr bool nullable = false;
};
template <class Value>
struct Kind<std::optional<Value>> {
  using Plain = Value;
  static constexpr bool nullable = true;
};

inline void put(Writer& writer, const std::string& value) { writer.text(value); }
inline void put(Writer& writer, std::int64_t value) { writer.integer(value); }
inline void put(Writer& writer, bool value) { writer.boolean(value); }
inline void put(Writer& writer, const Decimal& value) { writer.text(value.to_string()); }
inline void put(Writer& writer, Instant value) { writer.text(to_rfc3339(value)); }
inline void put(Writer& writer, const Uuid& value) { writer.text(value.to_string()); }
inline void put(Writer& writer, const Raw& value) { writer.json(value.json); }
inline void put(Writer& writer, const std::vector<std::string>& values) {
  writer.begin_list();
  for (const auto& value : values) writer.text(value);
  writer.end();
}

template <class Plain>
std::optional<Plain> take(Reading& reading, const Value& value, const Schema& schema,
                          const TextRule& rule);
template <>
inline std::optional<std::string> take(Reading& reading, const Value& value, const Schema& schema,
                                       const TextRule& rule) {
  return read_text(reading, value, schema, rule);
}
template <>
inline std::optional<std::int64_t> take(Reading& reading, const Value& value, const Schema& schema,
                                        const TextRule&) {
  return read_integer(reading, value, schema);
}
template <>
inline std::optional<Decimal> take(Reading& reading, const Value& value, const Schema& schema,
                                   const TextRule&) {
  return read_decimal(reading, value, schema);
}
template <>
inline std::optional<bool> take(Reading& reading, const Value& value, const Schema&,
                                const TextRule&) {
  return read_boolean(reading, value);
}
template <>
inline std::optional<Instant> take(Reading& reading, const Value& value, const Schema&,
                                   const TextRule&) {
  return read_instant(reading, value);
}
template <>
inline std::optional<Raw> take(Reading&, const Value& value, const Schema&, const TextRule&) {
  return Raw{value.to_json()};
}
template <>
inline std::optional<std::vector<std::string>> take(Reading& reading, const Value& value,
                                                    const Schema& schema, const TextRule& rule) {
  return read_texts(reading, value, schema, rule);
}
// The service assigns ids; a request cannot set one.
template <>
inline std::optional<Uuid> take(Reading&, const Value&, const Schema&, const TextRule&) {
  return std::nullopt;
}

bool is_short_list(Reading& reading, const Value& value, std::size_t most);

}  // namespace detail

}  // namespace shopbell::json

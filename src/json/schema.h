// Schema: the allowed form of a JSON value. Field tables create it and validate with it; OpenAPI
// publishes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/writer.h"

namespace shopbell::json {

struct SchemaMember;

struct Schema {
  std::string type;    // "string", "integer", "boolean", "array", "object", "null"; empty: any
  std::string format;  // "uuid", "date-time", "uri"
  std::string description;
  std::string example;        // example as JSON
  std::string default_value;  // default as JSON
  std::string pattern;        // ECMA 262 pattern of a text
  std::vector<std::string> options;
  std::optional<std::int64_t> length_min;
  std::optional<std::int64_t> length_max;
  std::optional<std::int64_t> minimum;
  std::optional<std::int64_t> maximum;
  std::optional<std::int64_t> items_max;
  bool unique_items = false;
  bool several_lines = false;  // a text that may contain line breaks
  bool nullable = false;
  bool read_only = false;
  std::vector<Schema> items;          // schema of an array's elements, at most one
  std::vector<SchemaMember> members;  // members that an object always has
  std::vector<SchemaMember> optional_members;
  bool open = false;           // an object may have other members
  std::vector<Schema> values;  // schema of all members of an object, at most one
  std::vector<Schema> any_of;  // alternatives, instead of a type
  std::string reference;       // name of a shared schema, instead of all members above
};

struct SchemaMember {
  std::string name;
  Schema schema;
};

void write(Writer& writer, const Schema& schema);

// An exact number: a text in answers, a text or a number in requests.
Schema decimal_schema();
Schema as_sent(const Schema& decimal);

}  // namespace shopbell::json

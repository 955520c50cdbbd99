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
  std::string example;        // JSON
  std::string default_value;  // JSON
  std::string pattern;        // of a text, ECMA 262
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
  std::vector<Schema> items;          // one element; of an array
  std::vector<SchemaMember> members;  // of an object: always present
  std::vector<SchemaMember> optional_members;
  bool open = false;           // of an object: may have other members
  std::vector<Schema> values;  // one element; of an object whose members have the same schema
  std::vector<Schema> any_of;  // alternatives, instead of a type
  std::string reference;       // name of a shared schema, instead of all above
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

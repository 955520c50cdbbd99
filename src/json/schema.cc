#include "json/schema.h"

namespace shopbell::json {

namespace {

constexpr std::string_view kDecimal = "decimal";

// ECMA 262 patterns for "no control characters" and "none except line breaks and tabs".
constexpr std::string_view kOneLine = R"(^[^\u0000-\u001f\u007f-\u009f]*$)";
constexpr std::string_view kSeveralLines =
    R"(^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$)";

void write_type(Writer& writer, const Schema& schema) {
  if (schema.type.empty()) return;
  writer.key("type");
  if (!schema.nullable) {
    writer.text(schema.type);
    return;
  }
  writer.begin_list().text(schema.type).text("null").end();
}

void write_bounds(Writer& writer, const Schema& schema) {
  if (schema.format == kDecimal) return;  // the bounds apply to the number, not its text
  const auto bound = [&](std::string_view name, std::optional<std::int64_t> value) {
    if (value) writer.key(name).integer(*value);
  };
  if (schema.options.empty()) {
    bound("minLength", schema.length_min);
    bound("maxLength", schema.length_max);
  }
  bound("minimum", schema.minimum);
  bound("maximum", schema.maximum);
  bound(schema.type == "object" ? "maxProperties" : "maxItems", schema.items_max);
  if (schema.unique_items) writer.key("uniqueItems").boolean(true);
}

void write_pattern(Writer& writer, const Schema& schema) {
  if (!schema.pattern.empty()) {
    writer.key("pattern").text(schema.pattern);
  } else if (schema.type == "string" && schema.length_max && schema.options.empty()) {
    writer.key("pattern").text(schema.several_lines ? kSeveralLines : kOneLine);
  }
}

void write_members(Writer& writer, const Schema& schema) {
  writer.key("properties").begin_object();
  for (const auto* members : {&schema.members, &schema.optional_members}) {
    for (const auto& [name, member] : *members) {
      writer.key(name);
      write(writer, member);
    }
  }
  writer.end();
  if (!schema.members.empty()) {
    writer.key("required").begin_list();
    for (const auto& [name, member] : schema.members) writer.text(name);
    writer.end();
  }
  if (schema.type != "object") return;
  writer.key("additionalProperties");
  if (schema.values.empty()) {
    writer.boolean(schema.open);
  } else {
    write(writer, schema.values.front());
  }
}

}  // namespace

void write(Writer& writer, const Schema& schema) {
  writer.begin_object();
  if (!schema.reference.empty()) {
    writer.key("$ref").text("#/components/schemas/" + schema.reference).end();
    return;
  }
  write_type(writer, schema);
  if (!schema.format.empty()) writer.key("format").text(schema.format);
  if (!schema.description.empty()) writer.key("description").text(schema.description);
  write_bounds(writer, schema);
  write_pattern(writer, schema);
  if (!schema.options.empty()) {
    writer.key("enum").begin_list();
    for (const auto& option : schema.options) writer.text(option);
    if (schema.nullable) writer.null();
    writer.end();
  }
  if (!schema.items.empty()) {
    writer.key("items");
    write(writer, schema.items.front());
  }
  if (schema.type == "object" || !schema.members.empty()) write_members(writer, schema);
  if (!schema.any_of.empty()) {
    writer.key("anyOf").begin_list();
    for (const auto& one : schema.any_of) write(writer, one);
    writer.end();
  }
  if (schema.read_only) writer.key("readOnly").boolean(true);
  if (!schema.default_value.empty()) writer.key("default").json(schema.default_value);
  if (!schema.example.empty()) writer.key("examples").begin_list().json(schema.example).end();
  writer.end();
}

Schema decimal_schema() {
  return {.type = "string",
          .format = std::string{kDecimal},
          .pattern = R"(^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,6})?$)"};
}

Schema as_sent(const Schema& decimal) {
  Schema text = decimal;
  text.description.clear();
  text.example.clear();
  const bool natural = decimal.minimum == 0;
  if (natural) text.pattern.erase(1, 2);  // removes the sign from the pattern
  Schema number{.type = "number", .minimum = decimal.minimum, .maximum = decimal.maximum};
  Schema sent{.description = decimal.description, .example = decimal.example};
  sent.any_of = {text, number};
  return sent;
}

}  // namespace shopbell::json

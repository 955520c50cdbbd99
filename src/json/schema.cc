#include "json/schema.h"

namespace shopbell::json {

namespace {

void write_type(Writer& writer, const Schema& schema) {
  writer.key("type");
  if (!schema.nullable) {
    writer.text(schema.type);
    return;
  }
  writer.begin_list().text(schema.type).text("null").end();
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
  writer.key("required").begin_list();
  for (const auto& [name, member] : schema.members) writer.text(name);
  writer.end();
  writer.key("additionalProperties").boolean(false);
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
  if (schema.length_max) writer.key("maxLength").integer(*schema.length_max);
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
  if (schema.type == "object") write_members(writer, schema);
  if (schema.read_only) writer.key("readOnly").boolean(true);
  if (!schema.example.empty()) writer.key("examples").begin_list().json(schema.example).end();
  writer.end();
}

}  // namespace shopbell::json

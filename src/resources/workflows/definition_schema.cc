#include "resources/workflows/definition_schema.h"

#include "base/limits.h"
#include "json/writer.h"
#include "resources/workflows/condition.h"
#include "resources/workflows/shape.h"

namespace shopbell::workflows {

namespace {

using json::Writer;

constexpr std::string_view kDuration =
    R"(^P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$)";
constexpr std::string_view kOffset =
    R"(^-?P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$)";
constexpr std::string_view kIdentifier = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";

void write_shape(Writer& writer, const Shape& shape, const std::string& doc);

void write_reference(Writer& writer, std::string_view name) {
  writer.key("$ref").text("#/$defs/" + std::string{name});
}

void write_text(Writer& writer, std::string_view pattern = {}) {
  writer.key("type").text("string");
  if (!pattern.empty()) writer.key("pattern").text(pattern);
}

void write_members(Writer& writer, const std::vector<Member>& members) {
  for (const auto& member : members) {
    writer.key(member.name);
    write_shape(writer, member.shape, member.doc);
  }
}

void write_required(Writer& writer, const std::vector<Member>& members,
                    std::vector<std::string> names = {}) {
  for (const auto& member : members) {
    if (member.required) names.push_back(member.name);
  }
  if (names.empty()) return;
  writer.key("required").begin_list();
  for (const auto& name : names) writer.text(name);
  writer.end();
}

void write_one_of(Writer& writer, const std::vector<std::string>& names) {
  if (names.empty()) return;
  writer.key("oneOf").begin_list();
  for (const auto& name : names)
    writer.begin_object().key("required").begin_list().text(name).end().end();
  writer.end();
}

void write_object(Writer& writer, const Shape& shape) {
  writer.key("type").text("object");
  writer.key("properties").begin_object();
  write_members(writer, shape.members);
  writer.end();
  write_required(writer, shape.members);
  write_one_of(writer, shape.one_of);
  writer.key("additionalProperties").boolean(false);
}

void write_form(Writer& writer, const Shape& shape) {
  switch (shape.form) {
    case Form::object:
      return write_object(writer, shape);
    case Form::list:
      writer.key("type").text("array");
      writer.key("minItems").integer(shape.minimum);
      writer.key("maxItems").integer(shape.maximum);
      writer.key("items");
      return write_shape(writer, shape.item.front(), {});
    case Form::choice:
      writer.key("enum").begin_list();
      for (const auto& option : shape.options) writer.text(option);
      writer.end();
      return;
    case Form::boolean:
      writer.key("type").text("boolean");
      return;
    case Form::integer:
      writer.key("type").text("integer");
      writer.key("minimum").integer(shape.minimum);
      writer.key("maximum").integer(shape.maximum);
      return;
    case Form::condition:
      return write_reference(writer, "condition");
    case Form::days:
      return write_reference(writer, "days");
    case Form::payload:
    case Form::patch:
      writer.key("type").text("object");
      return;
    case Form::duration:
      return write_text(writer, kDuration);
    case Form::offset:
      return write_text(writer, kOffset);
    case Form::clock:
      return write_text(writer, R"(^([01]\d|2[0-3]):[0-5]\d$)");
    case Form::node_id:
    case Form::variable:
    case Form::node:
      return write_text(writer, kIdentifier);
    default:
      return write_text(writer);
  }
}

void write_shape(Writer& writer, const Shape& shape, const std::string& doc) {
  writer.begin_object();
  if (!doc.empty()) writer.key("description").text(doc);
  write_form(writer, shape);
  writer.end();
}

void write_node(Writer& writer, const NodeType& type) {
  writer.begin_object();
  writer.key("description").text(type.doc);
  writer.key("type").text("object");
  writer.key("properties").begin_object();
  writer.key("id");
  write_shape(writer, {.form = Form::node_id}, {});
  writer.key("type").begin_object().key("const").text(type.name).end();
  write_members(writer, type.shape.members);
  writer.end();
  write_required(writer, type.shape.members, {"id", "type"});
  write_one_of(writer, type.shape.one_of);
  writer.key("additionalProperties").boolean(false);
  writer.end();
}

// Writes the schemas of conditions and their operands.
void write_grammar(Writer& writer) {
  std::string names;
  for (const auto& op : operators()) names += (names.empty() ? "\"" : ",\"") + op.name + "\"";
  const std::string list = R"({"type":"array","minItems":1,"maxItems":)" +
                           std::to_string(limits::kWorkflowEdges) +
                           R"(,"items":{"$ref":"#/$defs/condition"}})";
  const std::string range =
      R"("min":{"type":["number","string"]},"max":{"type":["number","string"]})";
  const auto object = [](const std::string& members, const std::string& required) {
    return R"({"type":"object","properties":{)" + members + R"(},"required":[)" + required +
           R"(],"additionalProperties":false})";
  };
  const std::string where = R"("where":{"$ref":"#/$defs/condition"})";
  std::string forms = object(R"("all":)" + list, R"("all")") + "," +
                      object(R"("any":)" + list, R"("any")") + "," +
                      object(R"("not":{"$ref":"#/$defs/condition"})", R"("not")") + "," +
                      object(R"("value":{"type":"string"},"op":{"enum":[)" + names +
                                 R"(]},"to":{"$ref":"#/$defs/operand"},"exact":{"type":"boolean"})",
                             R"("value","op")");
  for (const std::string quantifier : {"some", "every", "none"})
    forms += "," + object(std::format(R"("{}":{{"type":"string"}},{})", quantifier, where),
                          std::format(R"("{}","where")", quantifier));
  forms += "," +
           object(R"("did":{"type":"string"},)" + where + R"(,"times":)" + object(range, "") +
                      R"(,"sum":)" + object(R"("value":{"type":"string"},)" + range, R"("value")") +
                      R"(,"within":{"type":"string"},"since":{"$ref":"#/$defs/operand"})",
                  R"("did")");
  writer.key("condition").json(R"({"oneOf":[)" + forms + "]}");
  const std::string plus =
      R"({"anyOf":[{"type":"string"},)" +
      object(R"("days":{"type":"string"},"times":{"type":"string"})", R"("days")") + "]}";
  writer.key("operand").json(
      R"({"anyOf":[{"type":["string","number","boolean","array"]},)" +
      object(R"("ref":{"type":"string"})", R"("ref")") + "," +
      object(R"("now":{"type":"string"})", R"("now")") + "," +
      object(R"("date":{"type":"string"},"plus":)" + plus, R"("date","plus")") + "]}");
  writer.key("days").json(R"({"anyOf":[{"type":"string"},)" +
                          object(R"("days":{"type":"string"})", R"("days")") + "]}");
}

}  // namespace

std::string definition_schema() {
  Writer writer;
  writer.begin_object();
  writer.key("$schema").text("https://json-schema.org/draft/2020-12/schema");
  writer.key("title").text("Shopbell workflow");
  writer.key("type").text("object");
  writer.key("properties").begin_object();
  for (const std::string_view name : {"alias", "name", "description"})
    writer.key(name).begin_object().key("type").text("string").end();
  writer.key("priority").begin_object().key("type").text("integer").end();
  writer.key("tags").json(R"({"type":"array","items":{"type":"string"}})");
  write_members(writer, definition_parts());
  writer.key("nodes").begin_object();
  writer.key("description").text("The steps of a run, which starts at the first node.");
  writer.key("type").text("array");
  writer.key("minItems").integer(1);
  writer.key("maxItems").integer(static_cast<std::int64_t>(limits::kWorkflowNodes));
  writer.key("items").begin_object().key("oneOf").begin_list();
  for (const auto& type : node_types()) {
    writer.begin_object();
    write_reference(writer, "node." + type.name);
    writer.end();
  }
  writer.end().end().end().end();
  writer.key("required").begin_list().text("name").text("trigger").text("nodes").end();
  writer.key("additionalProperties").boolean(false);
  writer.key("$defs").begin_object();
  for (const auto& type : node_types()) {
    writer.key("node." + type.name);
    write_node(writer, type);
  }
  write_grammar(writer);
  writer.end().end();
  return writer.finish(Writer::Layout::indented) + "\n";
}

}  // namespace shopbell::workflows

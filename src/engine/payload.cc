#include "engine/payload.h"

namespace shopbell::engine {

Payload compile_payload(const json::Value& source, const ReferenceTypes& types) {
  if (source.type() == json::Type::list) {
    Payload::List list;
    source.for_each([&](std::string_view, const json::Value& element) {
      list.push_back(compile_payload(element, types));
    });
    return {std::move(list)};
  }
  if (source.type() != json::Type::object) return {source.to_json()};
  if (source.member("ref") || source.member("now") || source.member("date"))
    return {compile_operand(source, ValueType::Kind::any, types)};
  Payload::Object object;
  source.for_each([&](std::string_view name, const json::Value& member) {
    object.emplace_back(std::string{name}, compile_payload(member, types));
  });
  return {std::move(object)};
}

void write(json::Writer& writer, const Payload& payload, const View& view) {
  if (const auto* literal = std::get_if<std::string>(&payload.content)) {
    writer.written(*literal);
  } else if (const auto* operand = std::get_if<Operand>(&payload.content)) {
    if (const auto* reference = std::get_if<Reference>(operand)) {
      writer.json(view.read_json(*reference));
      return;
    }
    const auto text = text_of(value_of(*operand, view));
    text ? writer.text(*text) : writer.null();
  } else if (const auto* object = std::get_if<Payload::Object>(&payload.content)) {
    writer.begin_object();
    for (const auto& [name, member] : *object) {
      writer.key(name);
      write(writer, member, view);
    }
    writer.end();
  } else {
    writer.begin_list();
    for (const auto& element : std::get<Payload::List>(payload.content))
      write(writer, element, view);
    writer.end();
  }
}

std::string to_json(const Payload& payload, const View& view) {
  json::Writer writer;
  write(writer, payload, view);
  return writer.finish();
}

}  // namespace shopbell::engine

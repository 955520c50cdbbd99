#include "testing/yaml.h"

#include <format>
#include <stdexcept>

#include <yaml-cpp/yaml.h>

#include "base/decimal.h"
#include "json/writer.h"

namespace shopbell::testing {

namespace {

void write_scalar(json::Writer& writer, const YAML::Node& node) {
  const std::string& text = node.Scalar();
  const bool is_quoted = node.Tag() == "!";
  if (!is_quoted && (text == "true" || text == "false")) {
    writer.boolean(text == "true");
  } else if (!is_quoted && Decimal::parse(text)) {
    writer.written(text);
  } else {
    writer.text(text);
  }
}

void write_node(json::Writer& writer, const YAML::Node& node) {
  if (node.IsMap()) {
    writer.begin_object();
    for (const auto& member : node) {
      writer.key(member.first.Scalar());
      write_node(writer, member.second);
    }
    writer.end();
  } else if (node.IsSequence()) {
    writer.begin_list();
    for (const auto& element : node) write_node(writer, element);
    writer.end();
  } else if (node.IsScalar()) {
    write_scalar(writer, node);
  } else {
    writer.null();
  }
}

}  // namespace

std::string read_yaml_as_json(const std::string& path) {
  try {
    json::Writer writer;
    write_node(writer, YAML::LoadFile(path));
    return writer.finish();
  } catch (const YAML::Exception& error) {
    throw std::runtime_error{std::format("{}: {}", path, error.what())};
  }
}

}  // namespace shopbell::testing

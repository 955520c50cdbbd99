#include "testing/yaml.h"

#include <format>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "app/recipes/recipe.h"
#include "json/document.h"
#include "json/writer.h"
#include "yaml/yaml_json.h"

namespace shopbell::testing {

namespace {

std::string json_of(std::string_view yaml, std::string_view path) {
  auto converted = yaml::to_json(yaml);
  if (!converted)
    throw std::runtime_error{
        std::format("{}:{}: {}", path, converted.error().line, converted.error().why)};
  return std::move(converted->text);
}

// Writes the type of an event type's field as files of scenarios have it: "text", [{…}], {…}.
void write_type(json::Writer& writer, const json::Value& field) {
  const std::string_view type = field.member("type")->text();
  if (type == "list") {
    writer.begin_list();
    write_type(writer, *field.member("items"));
    writer.end();
  } else if (type == "object") {
    writer.begin_object();
    field.member("fields")->for_each([&](std::string_view, const json::Value& inner) {
      writer.key(inner.member("id")->text());
      write_type(writer, inner);
    });
    writer.end();
  } else {
    writer.text(type);
  }
}

void write_events(json::Writer& writer, const json::Value& recipe) {
  writer.begin_object();
  const auto needs = recipe.member("needs");
  const auto integrations = needs ? needs->member("integrations") : std::nullopt;
  if (integrations)
    integrations->for_each([&](std::string_view, const json::Value& integration) {
      integration.member("eventTypes")->for_each([&](std::string_view, const json::Value& type) {
        writer.key(std::format("custom.{}", type.member("alias")->text())).begin_object();
        type.member("fields")->for_each([&](std::string_view, const json::Value& field) {
          writer.key(field.member("id")->text());
          write_type(writer, field);
        });
        writer.end();
      });
    });
  writer.end();
}

std::string with_recipe(const json::Value& file, std::string_view name) {
  const app::Recipe* recipe = app::find_recipe(name);
  if (recipe == nullptr) throw std::runtime_error{std::format("there is no recipe {}", name)};
  const json::Document document = json::Document::parse_body(json_of(recipe->yaml, name));
  json::Writer writer;
  writer.begin_object();
  file.for_each([&](std::string_view member, const json::Value& value) {
    writer.key(member).written(member == "workflow" ? definition_of_file(std::string{recipe->yaml})
                                                    : value.to_json());
  });
  if (!file.member("events")) {
    writer.key("events");
    write_events(writer, document.root());
  }
  writer.end();
  return writer.finish();
}

}  // namespace

std::string read_yaml_as_json(const std::string& path) {
  std::ifstream input{path};
  std::string json = json_of(std::string{std::istreambuf_iterator{input}, {}}, path);
  const json::Document file = json::Document::parse_body(json);
  const auto workflow = file.root().member("workflow");
  const auto recipe = workflow ? workflow->member("recipe") : std::nullopt;
  return recipe ? with_recipe(file.root(), recipe->text()) : json;
}

std::string definition_of_file(const std::string& yaml) {
  const json::Document file = json::Document::parse_body(json_of(yaml, "a workflow file"));
  json::Writer writer;
  writer.begin_object();
  file.root().for_each([&](std::string_view member, const json::Value& value) {
    if (member != "needs") writer.key(member).written(value.to_json());
  });
  writer.end();
  return writer.finish();
}

}  // namespace shopbell::testing

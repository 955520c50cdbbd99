#include "app/workflow_files/workflow_file.h"

#include <algorithm>
#include <format>
#include <fstream>
#include <iterator>

#include "app/recipes/recipe.h"
#include "app/workflow_files/needed_objects.h"
#include "base/limits.h"
#include "json/reading.h"
#include "json/writer.h"
#include "resources/workflows/workflow_rules.h"

namespace shopbell::app {

namespace {

constexpr std::string_view kRecipePrefix = "recipe:";

std::string text_of_place(const std::string& place) {
  if (place.starts_with(kRecipePrefix)) {
    const Recipe* recipe = find_recipe(place.substr(kRecipePrefix.size()));
    if (recipe == nullptr)
      throw std::runtime_error{
          std::format("there is no {}; `shopbell workflow recipes` lists all recipes", place)};
    return std::string{recipe->yaml};
  }
  std::ifstream input{place, std::ios::binary};
  std::string text(limits::kBodyBytes + 1, '\0');
  if (!input ||
      (!input.read(text.data(), static_cast<std::streamsize>(text.size())) && !input.eof()))
    throw std::runtime_error{std::format("{} cannot be read", place)};
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.size() > limits::kBodyBytes)
    throw std::runtime_error{std::format("{} has more than {} bytes", place, limits::kBodyBytes)};
  return text;
}

// Returns the file's JSON without the section `needs`: the body of a request.
std::string workflow_body(const json::Value& root) {
  json::Writer writer;
  writer.begin_object();
  root.for_each([&](std::string_view name, const json::Value& value) {
    if (name != "needs") writer.key(name).written(value.to_json());
  });
  writer.end();
  return writer.finish();
}

}  // namespace

std::string_view name_of(NeededObject::Kind kind) {
  switch (kind) {
    case NeededObject::Kind::contact_field:
      return "contact field";
    case NeededObject::Kind::integration:
      return "integration";
    case NeededObject::Kind::event_type:
      return "event type";
    case NeededObject::Kind::message_template:
      return "template";
    default:
      return "coupon set";
  }
}

WorkflowFile read_workflow_file(const std::string& place) {
  WorkflowFile file{.place = place, .source = {}, .workflow = {}, .needs = {}, .faults = {}};
  auto source = yaml::to_json(text_of_place(place), limits::kBodyBytes);
  if (!source)
    throw FaultyFile{std::format("{}:{}: {}", place, source.error().line, source.error().why)};
  file.source = std::move(*source);
  const auto document = json::Document::parse_body(file.source.text);
  if (document.root().type() != json::Type::object)
    throw FaultyFile{
        std::format("{}:1: Is not a workflow: the file must have members such as "
                    "name, alias, trigger and nodes.",
                    place)};
  json::Reading reading;
  const auto body = json::Document::parse_body(workflow_body(document.root()));
  file.workflow = workflows::read_sent(body.root(), reading, true);
  if (const auto needs = document.root().member("needs"))
    file.needs = read_needed_objects(reading, *needs);
  try {
    reading.finish();
  } catch (const Problem& problem) {
    file.faults = problem.faults();
  }
  return file;
}

void refuse_faults(const WorkflowFile& file, const std::vector<Fault>& faults,
                   std::string_view below) {
  if (faults.empty()) return;
  std::vector<std::pair<std::size_t, std::string>> lines;
  for (const auto& fault : faults) {
    const std::string pointer = std::format("{}{}", below, fault.at);
    const std::size_t line = file.source.line_of(pointer);
    lines.emplace_back(
        line, std::format("{}:{}: {} {}: {}", file.place, line, pointer, fault.code, fault.detail));
  }
  std::ranges::stable_sort(lines, {}, &std::pair<std::size_t, std::string>::first);
  std::string text;
  for (const auto& [line, message] : lines) text += (text.empty() ? "" : "\n") + message;
  throw FaultyFile{text};
}

}  // namespace shopbell::app

// Checks the definitions of the engine's scenarios with the validation that users' definitions
// pass: what the engine is tested with can be saved, and the checker refuses nothing that works.
#include <algorithm>
#include <array>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/problem.h"
#include "engine/data.h"
#include "resources/workflows/definition_check.h"
#include "testing/scenario_types.h"
#include "testing/yaml.h"

namespace shopbell::workflows {
namespace {

const Uuid kAny = *Uuid::parse("019a8412-7c00-7abc-8def-000000000001");

// Adds the names that the nodes use: templates, coupon sets and webhooks exist.
void add_names(const json::Value& definition, KnownWorld& world) {
  definition.member("nodes")->for_each([&](std::string_view, const json::Value& node) {
    if (const auto name = node.member("template")) world.templates.emplace(name->text(), kAny);
    if (const auto name = node.member("couponSet")) world.coupon_sets.emplace(name->text(), kAny);
    if (const auto name = node.member("eventType"))
      world.senders.emplace(name->text(), KnownEventType{.id = kAny, .data = {}});
  });
}

KnownWorld world_of(const json::Value& file) {
  constexpr std::string_view kCustom = "custom.";
  const engine::KnownTypes types = testing::types_of_scenarios(file);
  KnownWorld world;
  const auto fields = types.contact.members.find("fields");
  if (fields != types.contact.members.end())
    world.fields.insert(fields->second.members.begin(), fields->second.members.end());
  for (const auto& [kind, envelope] : types.events)
    if (kind.starts_with(kCustom))
      world.event_types.emplace(kind.substr(kCustom.size()),
                                KnownEventType{.id = kAny, .data = envelope.members.at("data")});
  return world;
}

std::vector<std::string> faults_of(const json::Value& definition, KnownWorld world) {
  add_names(definition, world);
  json::Reading reading;
  check_definition(reading, definition, world);
  std::vector<std::string> faults;
  try {
    reading.finish();
  } catch (const Problem& problem) {
    for (const auto& fault : problem.faults())
      faults.push_back(fault.at + " " + fault.code + ": " + fault.detail);
  }
  return faults;
}

// Calls one(definition) for each definition of a file, of its scenarios and of their new versions.
template <class One>
void for_each_definition(const json::Value& source, One one) {
  for (const std::string_view member : {"workflow", "publish"})
    if (const auto definition = source.member(member)) one(*definition);
  for (const std::string_view member : {"workflows", "scenarios", "when"}) {
    const auto list = source.member(member);
    if (!list) continue;
    list->for_each([&](std::string_view, const json::Value& element) {
      member == "workflows" ? one(element) : for_each_definition(element, one);
    });
  }
}

TEST(ScenarioDefinitions, are_valid) {
  int definitions = 0;
  for (const auto& entry : std::filesystem::directory_iterator{"src/engine/scenarios"}) {
    if (entry.path().extension() != ".yaml") continue;
    const engine::Data file{testing::read_yaml_as_json(entry.path().string())};
    const KnownWorld world = world_of(*file.root());
    for_each_definition(*file.root(), [&](const json::Value& definition) {
      ++definitions;
      EXPECT_EQ(faults_of(definition, world), std::vector<std::string>{})
          << entry.path().filename() << ": " << definition.to_json();
    });
  }
  EXPECT_GT(definitions, 0) << "run the tests in the checkout's folder";
}

}  // namespace
}  // namespace shopbell::workflows

#include "automation/account_workflows.h"

#include <stdexcept>

#include "json/document.h"
#include "json/writer.h"

namespace shopbell::automation {

namespace {

std::optional<std::string> send_rules_of(const json::Value& definition) {
  const auto quiet = definition.member("quietHours");
  const auto window = definition.member("sendWindow");
  if (!quiet && !window) return std::nullopt;
  json::Writer writer;
  writer.begin_object();
  if (quiet) writer.key("quietHours").json(quiet->to_json());
  if (window) writer.key("sendWindow").json(window->to_json());
  return writer.end().finish();
}

}  // namespace

DefinitionFacts definition_facts_of(std::string_view source) {
  const auto document = json::Document::parse(source);
  if (!document) throw std::logic_error{"the stored definition is not JSON"};
  return {.reads_trigger = source.contains("\"trigger.") || source.contains("runStart"),
          .send_rules = send_rules_of(document->root())};
}

bool AccountWorkflows::has_version(const Uuid& workflow, std::int64_t version) const {
  const auto found = workflows.find(workflow);
  return found != workflows.end() && found->second.versions.contains(version);
}

void AccountWorkflows::index_triggers() {
  for (auto& [id, workflow] : workflows) {
    if (workflow.active_version == 0) continue;
    if (!workflow.versions.contains(workflow.active_version)) {
      workflow.active_version = 0;  // it cannot be compiled
      continue;
    }
    const auto& trigger = workflow.version(workflow.active_version).trigger;
    if (!trigger.event.empty()) started_by[trigger.event].insert(id);
  }
}

}  // namespace shopbell::automation

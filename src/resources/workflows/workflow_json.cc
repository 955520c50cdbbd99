#include "resources/workflows/workflow_json.h"

#include <stdexcept>

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::workflows {

namespace {

using Fields = std::vector<json::Field<Workflow>>;

const json::Table<Stats>& stats_json() {
  static const json::Table<Stats> table{
      "WorkflowStats",
      "Numbers of contacts.",
      {json::integer("entered", &Stats::entered), json::integer("active", &Stats::active),
       json::integer("completed", &Stats::completed), json::integer("exited", &Stats::exited),
       json::integer("converted", &Stats::converted),
       json::object("revenue", &Stats::revenue, money_json())}};
  return table;
}

// Returns the writable members, without the definition.
Fields written_fields() {
  return {
      json::text("alias", &Workflow::alias)
          .doc("Can be used instead of the id. Cannot be changed.")
          .length_max(64)
          .pattern("^[a-z][a-z0-9-]{0,63}$")
          .rule(is_alias,
                "Must start with a lowercase letter, followed by lowercase letters, digits and -.")
          .restricts()
          .example(R"("welcome")"),
      json::text("name", &Workflow::name)
          .doc("Display name.")
          .required()
          .length_min(1)
          .example(R"("Welcome")"),
      json::text("description", &Workflow::description)
          .several_lines()
          .length_max(limits::kFieldTextCharacters),
      json::integer("priority", &Workflow::priority)
          .doc("If several messages compete, the highest priority is sent first.")
          .default_value("0")
          .minimum(-1000)
          .maximum(1000),
      json::texts("tags", &Workflow::tags).items_max(limits::kWorkflowTags)};
}

Fields definition_fields() {
  return {
      json::any("trigger", &Workflow::trigger)
          .doc("The event or schedule that starts a run. docs/api/workflow.json is the JSON Schema "
               "of the "
               "definition.")
          .example(R"({"event":"contact.created"})"),
      json::any("reentry", &Workflow::reentry).doc("How often a contact may enter the workflow."),
      json::any("exitOn", &Workflow::exit_on).doc("Events that end a run."),
      json::any("goal", &Workflow::goal).doc("The event that counts as a conversion."),
      json::any("quietHours", &Workflow::quiet_hours).doc("The time in which no message is sent."),
      json::any("sendWindow", &Workflow::send_window)
          .doc("The only time in which messages are sent."),
      json::any("nodes", &Workflow::nodes)
          .doc("The steps of a run, which starts at the first node.")
          .example(R"([{"id":"day","type":"wait","for":"P1D","next":"greet"},)"
                   R"({"id":"greet","type":"updateContact","set":{"tags":["greeted"]}}])")};
}

Fields service_fields() {
  return {json::uuid("id", &Workflow::id),
          json::text("status", &Workflow::status)
              .options({"draft", "active", "paused", "finished"})
              .read_only(),
          json::boolean("running", &Workflow::running)
              .doc("True while events and schedules start runs: the workflow is published, and "
                   "neither paused nor finished.")
              .read_only(),
          json::integer("version", &Workflow::shown_version)
              .doc("Version of the shown definition: the published one, else the draft.")
              .read_only(),
          json::integer("draftVersion", &Workflow::draft_version)
              .doc("Version of the unpublished draft; null: there is none.")
              .read_only(),
          json::object("stats", &Workflow::stats, stats_json()).read_only(),
          json::instant("activatedAt", &Workflow::activated_at).read_only(),
          json::instant("finishedAt", &Workflow::finished_at).read_only(),
          json::instant("createdAt", &Workflow::created_at).read_only(),
          json::instant("updatedAt", &Workflow::updated_at).read_only()};
}

Fields joined(Fields first, Fields second) {
  std::ranges::move(second, std::back_inserter(first));
  return first;
}

const json::Table<Workflow>& definition_json() {
  static const json::Table<Workflow> table{"WorkflowDefinition", "The definition as stored.",
                                           joined(written_fields(), definition_fields())};
  return table;
}

// Returns the schema with the named members required.
json::Schema needing(json::Schema schema, const std::vector<std::string>& names) {
  std::erase_if(schema.optional_members, [&](json::SchemaMember& member) {
    if (!std::ranges::contains(names, member.name)) return false;
    schema.members.push_back(std::move(member));
    return true;
  });
  return schema;
}

}  // namespace

const json::Table<Workflow>& workflow_json() {
  static const json::Table<Workflow> table{
      "Workflow", "An automation that an event or a schedule starts for a contact.",
      joined(joined(service_fields(), written_fields()), definition_fields())};
  return table;
}

const json::Table<Workflow>& workflow_summary_json() {
  static const json::Table<Workflow> table{"WorkflowSummary", "A workflow without its definition.",
                                           joined(service_fields(), written_fields())};
  return table;
}

json::Schema new_workflow_schema() {
  return needing(workflow_json().new_schema(), {"alias", "trigger", "nodes"});
}

json::Schema draft_schema() { return needing(workflow_json().new_schema(), {"trigger", "nodes"}); }

std::string example_workflow() { return definition_json().example(); }

std::string definition_of(const Workflow& workflow) {
  json::Writer writer;
  writer.begin_object();
  for (const auto& [name, value] : definition_json().members(workflow)) {
    if (value != "null") writer.key(name).json(value);
  }
  writer.end();
  return writer.finish();
}

void read_definition(std::string_view definition, Workflow& workflow) {
  const auto document = json::Document::parse(definition);
  if (!document) throw std::logic_error{"the stored definition is not JSON"};
  json::Reading reading;
  definition_json().read_patch(document->root(), reading).apply_to(workflow);
}

}  // namespace shopbell::workflows

#include "resources/workflows/workflow_json.h"

#include <stdexcept>

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::workflows {

namespace {

using Fields = std::vector<json::Field<Workflow>>;

const json::Table<Money>& money_json() {
  static const json::Table<Money> table{
      "Revenue",
      "An amount of money.",
      {json::text("amount", &Money::amount), json::text("currency", &Money::currency)}};
  return table;
}

const json::Table<Stats>& stats_json() {
  static const json::Table<Stats> table{
      "WorkflowStats",
      "How many people it has met.",
      {json::integer("entered", &Stats::entered), json::integer("active", &Stats::active),
       json::integer("completed", &Stats::completed), json::integer("exited", &Stats::exited),
       json::integer("converted", &Stats::converted),
       json::object("revenue", &Stats::revenue, money_json())}};
  return table;
}

// What people write, without the definition.
Fields written_fields() {
  return {json::text("alias", &Workflow::alias)
              .doc("Names the workflow wherever its id can stand. Stays as it is.")
              .length_max(64)
              .pattern("^[a-z][a-z0-9-]{0,63}$")
              .rule(is_alias, "Must start with a small letter and go on with those, digits and -.")
              .restricts()
              .example(R"("welcome")"),
          json::text("name", &Workflow::name)
              .doc("For people.")
              .required()
              .length_min(1)
              .example(R"("Welcome")"),
          json::text("description", &Workflow::description)
              .several_lines()
              .length_max(limits::kFieldTextCharacters),
          json::integer("priority", &Workflow::priority)
              .doc("When several messages compete, the highest goes first.")
              .default_value("0")
              .minimum(-1000)
              .maximum(1000),
          json::texts("tags", &Workflow::tags).items_max(limits::kWorkflowTags)};
}

Fields definition_fields() {
  return {json::any("trigger", &Workflow::trigger)
              .doc("What starts a run. docs/api/workflow.json describes it all as JSON Schema.")
              .example(R"({"event":"contact.created"})"),
          json::any("reentry", &Workflow::reentry).doc("How often a contact may be in it."),
          json::any("exitOn", &Workflow::exit_on).doc("Events that end a run."),
          json::any("goal", &Workflow::goal).doc("What counts as a conversion."),
          json::any("quietHours", &Workflow::quiet_hours).doc("When nothing is sent."),
          json::any("sendWindow", &Workflow::send_window).doc("When messages are sent."),
          json::any("nodes", &Workflow::nodes)
              .doc("What happens in a run, from the first node on.")
              .example(R"([{"id":"day","type":"wait","for":"P1D","next":"greet"},)"
                       R"({"id":"greet","type":"updateContact","set":{"tags":["greeted"]}}])")};
}

Fields kept_fields() {
  return {json::uuid("id", &Workflow::id),
          json::text("status", &Workflow::status)
              .options({"draft", "active", "paused", "finished"})
              .read_only(),
          json::boolean("running", &Workflow::running)
              .doc("Whether runs start. This version of the service keeps workflows and runs none.")
              .read_only(),
          json::integer("version", &Workflow::shown_version)
              .doc("Of the definition that is shown: the published one, else the draft.")
              .read_only(),
          json::integer("draftVersion", &Workflow::draft_version)
              .doc("Of the draft that is not published yet; null: there is none.")
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
  static const json::Table<Workflow> table{"WorkflowDefinition", "What people write.",
                                           joined(written_fields(), definition_fields())};
  return table;
}

// The members that a body cannot do without.
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
      "Workflow", "What shall happen when something happens to a contact.",
      joined(joined(kept_fields(), written_fields()), definition_fields())};
  return table;
}

const json::Table<Workflow>& workflow_summary_json() {
  static const json::Table<Workflow> table{"WorkflowSummary", "A workflow without its definition.",
                                           joined(kept_fields(), written_fields())};
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
  if (!document) throw std::logic_error{"a definition is not JSON"};
  json::Reading reading;
  definition_json().read_patch(document->root(), reading).apply_to(workflow);
}

}  // namespace shopbell::workflows

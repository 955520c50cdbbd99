#include "resources/runs/run_json.h"

namespace shopbell::runs {

namespace {

std::vector<json::Field<Run>> summary_fields() {
  return {
      json::uuid("id", &Run::id),
      json::uuid("workflowId", &Run::workflow),
      json::uuid("contactId", &Run::contact),
      json::integer("version", &Run::version)
          .doc("The version of the workflow that the run follows."),
      json::text("state", &Run::state)
          .options({"open", "held", "parked", "done", "ended"})
          .doc("`open`: waits at its node. `held`: arrived while the workflow was paused. "
               "`parked`: its node failed, and an operator must retry or end it. `done`: at "
               "its end, but a conversion still counts. `ended`: over."),
      json::text("node", &Run::node).doc("The node where the run is, or ended."),
      json::text("key", &Run::key).doc("The value of the trigger's key; null: none."),
      json::instant("startedAt", &Run::started_at),
      json::instant("nodeSince", &Run::node_since).doc("When the run arrived at its node."),
      json::instant("dueAt", &Run::due_at)
          .doc("When the run moves by itself at the latest; null: it waits for something else."),
      json::instant("endedAt", &Run::ended_at),
      json::boolean("converted", &Run::converted)
          .doc("Whether the contact reached the workflow's goal in time."),
      json::text("why", &Run::why)
          .doc("Of a parked run: the fault. Of a run that is over: `completed`, or the reason "
               "of its end, such as `exit`.")};
}

const json::Table<Step>& step_json() {
  static const json::Table<Step> table{
      "RunStep",
      "The arrival at a node, or the edge by which the run left it.",
      {json::text("node", &Step::node),
       json::text("edge", &Step::edge).doc("Such as `next`; null: the run arrived at the node."),
       json::instant("at", &Step::at),
       json::text("cause", &Step::cause)
           .options({"start", "event", "timer", "restart", "command"})}};
  return table;
}

const json::Table<Message>& message_json() {
  static const json::Table<Message> table{
      "RunMessage",
      "A message of the run, and what became of it.",
      {json::text("id", &Message::id).format("uuid"), json::text("node", &Message::node),
       json::text("template", &Message::template_name),
       json::text("class", &Message::message_class).options({"marketing", "transactional"}),
       json::text("state", &Message::state)
           .options({"planned", "sent", "failed", "suppressed", "skipped", "unknown"}),
       json::text("reason", &Message::reason), json::instant("plannedAt", &Message::planned_at),
       json::instant("dueAt", &Message::due_at), json::instant("endedAt", &Message::ended_at)}};
  return table;
}

}  // namespace

const json::Table<Run>& run_json() {
  static const json::Table<Run> table{
      "Run", "One contact's way through a workflow.", [] {
        auto fields = summary_fields();
        fields.push_back(json::objects("trail", &Run::trail, step_json(), 500)
                             .doc("The latest steps, oldest first."));
        fields.push_back(json::objects("messages", &Run::messages, message_json(), 500));
        return fields;
      }()};
  return table;
}

const json::Table<Run>& run_summary_json() {
  static const json::Table<Run> table{"RunSummary", "A run without its timeline.",
                                      summary_fields()};
  return table;
}

}  // namespace shopbell::runs

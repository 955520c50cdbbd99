#include "resources/workflows/why.h"

#include <algorithm>
#include <format>

#include "engine/local_time.h"
#include "engine/send_rules.h"
#include "resources/workflows/queries.h"

namespace shopbell::workflows {

namespace {

std::string at(Instant instant) { return to_rfc3339(instant); }

Gate status_gate(const Workflow& workflow) {
  if (!workflow.active_version)
    return {"status", false, "The workflow was never published, so nothing starts it."};
  if (workflow.status == "paused")
    return {"status", false, "The workflow is paused: no run starts, and runs that are due wait."};
  if (workflow.status == "finished")
    return {"status", false,
            workflow.finished_at
                ? std::format("The workflow was finished at {}, so no run starts any more.",
                              at(*workflow.finished_at))
                : "The workflow is finished, so no run starts any more."};
  return {"status", true,
          workflow.activated_at
              ? std::format("The workflow is active since {}; earlier events start nothing.",
                            at(*workflow.activated_at))
              : "The workflow is active."};
}

Gate consent_gate(const contacts::Contact& contact, std::string_view marketing_requires) {
  if (!contact.email)
    return {"consent", false, "The contact has no e-mail address, so no message can be sent."};
  const auto refusal = engine::refusal_of({.is_marketing = true,
                                           .subscription = contact.email_subscription,
                                           .status = contact.email_status,
                                           .suppression = {},
                                           .marketing_requires = marketing_requires});
  if (!refusal)
    return {"consent", true,
            std::format("The contact's e-mail subscription is \"{}\", so marketing messages may be "
                        "sent.",
                        contact.email_subscription)};
  if (*refusal == "bounced" || *refusal == "paused")
    return {
        "consent", false,
        std::format("The contact's e-mail address is marked \"{}\", so no message is sent to it.",
                    *refusal)};
  if (*refusal == "complained")
    return {"consent", false,
            "The contact complained about a message, so marketing messages to it are suppressed."};
  return {
      "consent", false,
      std::format("The contact's e-mail subscription is \"{}\", so marketing messages to it are "
                  "suppressed.",
                  contact.email_subscription)};
}

Gate entry_gate(const engine::Definition& definition, const History& history) {
  if (!history.enrolments.empty())
    return {"entry", true,
            std::format("The contact entered the workflow, most recently at {}.",
                        at(history.enrolments.front().started_at))};
  if (definition.trigger.event.empty())
    return {
        "entry", false,
        "The contact never entered the workflow: at no time of the schedule its condition held."};
  return {
      "entry", false,
      std::format("The contact never entered the workflow: no event {} met the trigger's "
                  "condition, or it came too early, too late, without a key, or during a pause.",
                  definition.trigger.event)};
}

std::optional<Gate> reentry_gate(const engine::Definition& definition, const History& history,
                                 Instant now) {
  using Mode = engine::Reentry::Mode;
  if (history.enrolments.empty()) return std::nullopt;
  const auto& last = history.enrolments.front();
  const auto& reentry = definition.reentry;
  if (reentry.mode == Mode::once)
    return Gate{"reentry", false,
                "A contact enters this workflow once, so no event starts it again."};
  const bool is_in =
      std::ranges::any_of(history.enrolments, [](const auto& one) { return !one.ended_at; });
  if (reentry.mode == Mode::after_exit && is_in)
    return Gate{"reentry", false, "The next run starts only after the present one has ended."};
  if (reentry.cooldown) {
    const Instant again =
        engine::plus(engine::zone_of("UTC", "UTC"), last.started_at, *reentry.cooldown);
    if (again > now)
      return Gate{"reentry", false,
                  std::format("The cooldown lets the contact enter again at {}.", at(again))};
  }
  if (reentry.mode == Mode::per_key || reentry.mode == Mode::restart)
    return Gate{"reentry", std::nullopt,
                "An event with a key that the contact has had starts no "
                "further run; one with another key does."};
  return Gate{"reentry", true, "The contact can enter again."};
}

std::string reason_of(const PastRun& run) {
  const std::string why = run.why.value_or("");
  if (why == "completed") return "it came to its end";
  if (why == "exit") return "an event of `exitOn` ended it";
  if (why == "ended") return "an operator ended it";
  if (why == "finished") return "the workflow was finished and its runs were stopped";
  if (why == "merged") return "the contact was merged into another";
  return why.empty() ? "of an unknown reason" : why;
}

Gate run_gate(const PastRun& run) {
  const std::string since = run.node_since ? " since " + at(*run.node_since) : "";
  if (run.state == "held")
    return {
        "run", false,
        std::format("The run is held at the node {}{}: it goes on when the workflow is resumed.",
                    run.node, since)};
  if (run.state == "parked")
    return {"run", false,
            std::format("The run is parked at the node {}{}: {}. An operator must retry or end it.",
                        run.node, since, run.why.value_or("the node failed"))};
  if (run.state == "open")
    return {"run", true,
            run.due_at ? std::format("The run waits at the node {}{} until {} at the latest.",
                                     run.node, since, at(*run.due_at))
                       : std::format("The run waits at the node {}{}.", run.node, since)};
  const std::string when = run.ended_at ? " at " + at(*run.ended_at) : "";
  return {
      "run", std::nullopt,
      std::format("The run ended at the node {}{}, because {}.", run.node, when, reason_of(run))};
}

Gate message_gate(const PastMessage& message) {
  const std::string reason = message.reason ? std::format(" ({})", *message.reason) : "";
  const std::string when = message.ended_at ? " at " + at(*message.ended_at) : "";
  if (message.state == "planned")
    return {
        "message", std::nullopt,
        std::format("The message {} is planned; the sender looks at it {}.", message.template_name,
                    message.due_at ? "at " + at(*message.due_at) : "soon")};
  if (message.state == "sent")
    return {"message", true,
            std::format("The message {} was sent{}.", message.template_name, when)};
  if (message.state == "unknown")
    return {"message", std::nullopt,
            std::format("It is unknown whether the message {} was sent{}{}.", message.template_name,
                        when, reason)};
  return {"message", false,
          std::format("The message {} was {}{}{}.", message.template_name,
                      message.state == "failed" ? "not accepted by the mail server" : message.state,
                      when, reason)};
}

std::string_view refusal(const std::string& reason) {
  if (reason == "loop") return "because workflows started each other too often";
  if (reason == "noKey") return "because the trigger's key was missing";
  if (reason == "tooOld") return "because they came later than `maxAge`";
  if (reason == "cooldown") return "because of the cooldown";
  if (reason == "paused") return "because the workflow was paused";
  if (reason == "reentry") return "because the contact was in the workflow or had the same key";
  return "for another reason";
}

const json::Table<Gate>& gate_json() {
  static const json::Table<Gate> table{
      "WhyGate",
      "One condition on the way through the workflow.",
      {json::text("gate", &Gate::gate)
           .options({"status", "consent", "entry", "reentry", "run", "message", "refused"}),
       json::boolean("passed", &Gate::passed)
           .doc("Whether the contact gets past it; null: the sentence only informs."),
       json::text("text", &Gate::text)}};
  return table;
}

}  // namespace

const json::Table<Why>& why_json() {
  static const json::Table<Why> table{
      "WorkflowWhy",
      "Why a contact is where it is in a workflow.",
      {json::uuid("workflowId", &Why::workflow), json::uuid("contactId", &Why::contact),
       json::objects("gates", &Why::gates, gate_json(), 100)}};
  return table;
}

void read_history(pg::Group& reads, std::int64_t account, const Uuid& contact,
                  const Uuid& workflow) {
  reads.add(sql::list_enrolments_of_contact, account, contact, workflow);
  reads.add(sql::list_runs_to_explain, account, contact, workflow);
  reads.add(sql::list_messages_to_explain, account, contact, workflow);
}

History found_history(std::span<const pg::Result> results) {
  return {.enrolments = results[0].map([](const pg::Row& row) {
            return PastEnrolment{.started_at = row.instant("started_at"),
                                 .ended_at = row.maybe_instant("ended_at")};
          }),
          .runs = results[1].map([](const pg::Row& row) {
            return PastRun{.id = row.uuid("run_id"),
                           .state = row.text("state"),
                           .node = row.text("node"),
                           .node_since = row.maybe_instant("node_since"),
                           .due_at = row.maybe_instant("due_at"),
                           .ended_at = row.maybe_instant("ended_at"),
                           .why = row.maybe_text("why")};
          }),
          .messages = results[2].map([](const pg::Row& row) {
            return PastMessage{.run = row.uuid("run_id"),
                               .template_name = row.text("template"),
                               .state = row.text("state"),
                               .reason = row.maybe_text("reason"),
                               .due_at = row.maybe_instant("due_at"),
                               .ended_at = row.maybe_instant("ended_at")};
          })};
}

std::vector<Gate> explain(const Workflow& workflow, const engine::Definition* definition,
                          const contacts::Contact& contact, std::string_view marketing_requires,
                          const History& history, const Numbers& numbers, Instant now) {
  std::vector<Gate> gates{status_gate(workflow)};
  if (definition == nullptr) return gates;
  const bool sends_marketing = std::ranges::any_of(definition->nodes, [](const engine::Node& node) {
    const auto* email = std::get_if<engine::Email>(&node.what);
    return email != nullptr && email->is_marketing;
  });
  if (sends_marketing) gates.push_back(consent_gate(contact, marketing_requires));
  gates.push_back(entry_gate(*definition, history));
  if (auto gate = reentry_gate(*definition, history, now)) gates.push_back(std::move(*gate));
  for (const auto& run : history.runs) {
    gates.push_back(run_gate(run));
    for (const auto& message : history.messages)
      if (message.run == run.id) gates.push_back(message_gate(message));
  }
  if (history.enrolments.empty())
    for (const auto& [reason, events] : numbers.refused)
      gates.push_back(
          {"refused", std::nullopt,
           std::format("{} events of all contacts started no run {}.", events, refusal(reason))});
  return gates;
}

}  // namespace shopbell::workflows

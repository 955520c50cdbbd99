#include "resources/workflows/dry_run.h"

#include <format>
#include <stdexcept>

#include "base/problem.h"
#include "resources/runs/run_limits.h"

namespace shopbell::workflows {

namespace {

constexpr std::size_t kShownMost = 2000;  // outcomes and runs in an answer
constexpr int kExampleCodes = 100;        // of each coupon set

const json::Table<DryStep>& dry_step_json() {
  static const json::Table<DryStep> table{
      "DryRunStep",
      "The arrival at a node, or the edge by which the run leaves it.",
      {json::text("node", &DryStep::node), json::text("edge", &DryStep::edge),
       json::instant("at", &DryStep::at), json::text("cause", &DryStep::cause)}};
  return table;
}

const json::Table<DryRunPath>& dry_run_path_json() {
  static const json::Table<DryRunPath> table{
      "DryRunPath",
      "The way of one run.",
      {json::text("state", &DryRunPath::state).options({"open", "held", "parked", "done", "ended"}),
       json::instant("startedAt", &DryRunPath::started_at),
       json::instant("dueAt", &DryRunPath::due_at), json::text("why", &DryRunPath::why),
       json::objects("trail", &DryRunPath::trail, dry_step_json(), kShownMost)}};
  return table;
}

const json::Table<DryOutcome>& dry_outcome_json() {
  static const json::Table<DryOutcome> table{
      "DryRunOutcome",
      "One thing that would happen.",
      {json::instant("at", &DryOutcome::at),
       json::text("what", &DryOutcome::what)
           .doc(
               "Such as `send`, `skip late`, `suppressed`, `coupon`, `webhook`, `update`, `event`, "
               "`convert`, `end`, `park`, or `refuse`: the event starts no run."),
       json::text("detail", &DryOutcome::detail)
           .doc("The template, the code, the data or the reason.")}};
  return table;
}

json::Schema object_schema(std::string description, std::string example) {
  return {.type = "object",
          .description = std::move(description),
          .example = std::move(example),
          .open = true};
}

DryRunPath path_of(const engine::Run& run) {
  DryRunPath path{.state = std::string{engine::name_of(run.state)},
                  .started_at = run.started_at,
                  .due_at = run.due_at,
                  .why = std::nullopt,
                  .trail = {}};
  if (!run.why.empty()) path.why = run.why;
  for (const auto& step : run.trail) {
    if (path.trail.size() == kShownMost) break;
    path.trail.push_back({.node = step.node, .edge = {}, .at = step.at, .cause = step.cause});
    if (!step.edge.empty()) path.trail.back().edge = step.edge;
  }
  return path;
}

engine::Surroundings surroundings_of(const engine::Definition& definition) {
  engine::Surroundings surroundings;
  for (const auto& node : definition.nodes)
    if (const auto* coupon = std::get_if<engine::Coupon>(&node.what))
      surroundings.coupon_codes[coupon->coupon_set].assign(kExampleCodes, "EXAMPLE");
  return surroundings;
}

}  // namespace

const json::Table<DryRun>& dry_run_json() {
  static const json::Table<DryRun> table{
      "DryRun",
      "A contact and an event to try a workflow with.",
      {json::any("contact", &DryRun::contact)
           .required()
           .example(R"({"email":"eva@bell.example","emailSubscription":"subscribed"})")
           .sent_as(object_schema(
               "A stored contact, by `id`, `externalId` or `email`, or a made-up one.",
               R"({"email":"eva@bell.example","emailSubscription":"subscribed"})")),
       json::any("event", &DryRun::event)
           .example(R"({"kind":"contact.created","data":{}})")
           .sent_as(object_schema("`kind` and `data` of the first event; none for a schedule.",
                                  R"({"kind":"contact.created","data":{}})")),
       json::instant("at", &DryRun::at).doc("The time of the event; default: now."),
       json::instant("until", &DryRun::until)
           .doc("The end of the dry run; default: 90 days later.")}};
  return table;
}

const json::Table<DryRunResult>& dry_run_result_json() {
  static const json::Table<DryRunResult> table{
      "DryRunResult",
      "The way of a contact through a workflow, and all that would happen.",
      {json::boolean("complete", &DryRunResult::complete)
           .doc("False if the dry run stopped early because too much happens."),
       json::objects("runs", &DryRunResult::runs, dry_run_path_json(), kShownMost),
       json::objects("outcomes", &DryRunResult::outcomes, dry_outcome_json(), kShownMost)}};
  return table;
}

std::optional<DryEvent> read_event(json::Reading& reading, const DryRun& asked,
                                   const engine::Definition& definition) {
  const std::string& trigger = definition.trigger.event;
  const bool has_event = asked.event && asked.event->json != "null";
  if (trigger.empty()) {
    if (has_event)
      reading.refuse_at("event", "conflicts-with", "The workflow is started by its schedule.");
    return std::nullopt;
  }
  if (!has_event) {
    reading.refuse_at("event", "required", std::format("Name an event of kind {}.", trigger));
    return std::nullopt;
  }
  const auto document = json::Document::parse(asked.event->json);
  const json::Reading::Place event{reading, "event"};
  const json::Value root = document->root();
  if (root.type() != json::Type::object) {
    reading.refuse("wrong-type", "Expected an object.");
    return std::nullopt;
  }
  DryEvent read{.kind = trigger, .data = "{}"};
  root.for_each([&](std::string_view name, const json::Value& value) {
    const json::Reading::Place member{reading, name};
    if (name == "kind") {
      if (value.type() != json::Type::text || value.text() != trigger)
        reading.refuse("not-an-option", std::format("The workflow starts on {}.", trigger));
    } else if (name == "data") {
      if (value.type() != json::Type::object) reading.refuse("wrong-type", "Expected an object.");
      read.data = value.to_json();
    } else {
      reading.refuse("unknown-member", "There is no such member.");
    }
  });
  return read;
}

DryRunResult rehearse(std::int64_t account, const Workflow& workflow, engine::Definition definition,
                      engine::Data contact, engine::Data store,
                      const std::optional<DryEvent>& event, Instant at, Instant until) {
  engine::Person person{.account = account,
                        .contact_id = Uuid::parse(engine::text_at(contact, "id")).value_or(Uuid{}),
                        .contact = std::move(contact),
                        .store = std::move(store),
                        .runs = {},
                        .enrolments = {}};
  engine::Surroundings surroundings = surroundings_of(definition);
  const std::int64_t version = definition.version;
  engine::Workflow rehearsed{
      .id = workflow.id, .active_version = version, .priority = workflow.priority, .versions = {}};
  rehearsed.versions[version] = std::make_shared<const engine::Definition>(std::move(definition));
  engine::Rehearsal rehearsal{
      std::move(person), {{workflow.id, std::move(rehearsed)}}, std::move(surroundings), at};
  DryRunResult result{.runs = {}, .outcomes = {}};
  try {
    if (event) rehearsal.happen(event->kind, event->data);
    result.complete = rehearsal.finish(until, limits::kRehearsedSteps);
  } catch (const std::runtime_error&) {  // its events cause each other
    result.complete = false;
  }
  for (const auto* runs : {&rehearsal.ended(), &rehearsal.person().runs})
    for (const auto& run : *runs)
      if (result.runs.size() < kShownMost) result.runs.push_back(path_of(run));
  for (const auto& outcome : rehearsal.outcomes()) {
    if (result.outcomes.size() == kShownMost) break;
    result.outcomes.push_back({.at = outcome.at, .what = outcome.what, .detail = {}});
    if (!outcome.detail.empty()) result.outcomes.back().detail = outcome.detail;
  }
  return result;
}

}  // namespace shopbell::workflows

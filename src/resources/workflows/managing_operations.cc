#include "resources/workflows/managing_operations.h"

#include "base/limits.h"
#include "base/problem.h"
#include "operations/output.h"
#include "resources/contacts/chosen_contact.h"
#include "resources/workflows/dry_run.h"
#include "resources/workflows/known_types.h"
#include "resources/workflows/queries.h"
#include "resources/workflows/store_data.h"
#include "resources/workflows/why.h"
#include "resources/workflows/workflow_json.h"
#include "resources/workflows/workflow_numbers.h"
#include "resources/workflows/workflow_rules.h"
#include "resources/workflows/workflow_store.h"

namespace shopbell::workflows {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

constexpr auto kDryRun = std::chrono::days{90};
constexpr auto kDryRunMost = std::chrono::days{800};

Answer get_numbers(operations::Input input) {
  pg::Group reads;
  read_workflow(reads, input.account(), input.path("id"));
  read_numbers(reads, input.account(), input.path("id"));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const Workflow workflow = existing(found_workflow(found[0]));
  co_return operations::Output::json(
      numbers_json().to_json(found_numbers(found[1], workflow.stats.revenue.currency)));
}

Answer get_moves(operations::Input input) {
  pg::Group reads;
  read_workflow(reads, input.account(), input.path("id"));
  read_draft(reads, input.account(), input.path("id"));
  read_numbers(reads, input.account(), input.path("id"));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const Workflow active = existing(found_workflow(found[0]));
  const auto draft = found_workflow(found[1]);
  if (!draft) throw Problem{Code::not_found, "The workflow has no draft."};
  const Numbers numbers = found_numbers(found[2], active.stats.revenue.currency);
  co_return operations::Output::json(
      draft_moves_json().to_json(moves_between(active, *draft, numbers)));
}

DryRun read_dry_run(const operations::Input& input, json::Reading& reading, Instant now) {
  DryRun asked;
  dry_run_json().read_new(input.body(), reading).apply_to(asked);
  const auto require_object = [&](std::string_view member, const std::optional<json::Raw>& value) {
    if (value && json::Document::parse(value->json)->root().type() != json::Type::object)
      reading.refuse_at(member, "wrong-type", "Expected an object.");
  };
  require_object("contact", asked.contact);
  require_object("event", asked.event);
  if (!asked.at) asked.at = now;
  if (!asked.until) asked.until = *asked.at + kDryRun;
  if (*asked.until < *asked.at || *asked.until > *asked.at + kDryRunMost)
    reading.refuse_at("until", "out-of-range", "Must be within 800 days after `at`.");
  return asked;
}

Answer dry_run(operations::Input input) {
  json::Reading reading = input.reading();
  const DryRun asked = read_dry_run(input, reading, input.clock().now());
  reading.finish();
  if (!asked.contact) {  // null
    reading.refuse_at("contact", "required", "Name a contact.");
    reading.finish();
  }
  pg::Group reads;
  const bool of_draft = input.parameter("draft") == "true";
  of_draft ? read_draft(reads, input.account(), input.path("id"))
           : read_workflow(reads, input.account(), input.path("id"));
  read_types(reads, input.account());
  reads.add(sql::get_store_of_runs, input.account());
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const auto workflow = found_workflow(found[0]);
  if (!workflow)
    throw Problem{Code::not_found, of_draft ? "There is no such workflow, or it has no draft."
                                            : "There is no workflow of that id or alias."};
  engine::Definition definition =
      compiled(definition_of(*workflow), workflow->shown_version,
               known_types(found_types(std::span{found}.subspan(1, kTypeReads))));
  const auto event = read_event(reading, asked, definition);
  reading.finish();
  contacts::ChosenContact contact = co_await contacts::chosen_contact(input, asked.contact->json);
  const DryRunResult result =
      rehearse(input.account(), *workflow, std::move(definition), std::move(contact.shown),
               store_data(found[1 + kTypeReads][0]), event, *asked.at, *asked.until);
  co_return operations::resource_output(dry_run_result_json(), result, "", reading);
}

Answer get_why(operations::Input input) {
  const auto key = contacts::key_of(input.parameter("contactId"), input.parameter("externalId"),
                                    input.parameter("email"));
  if (!key)
    throw Problem{Code::invalid_parameter,
                  "Name a contact by `email`, `externalId` or `contactId`.",
                  {{Fault::Where::parameter, "email", "required", "Name a contact."}}};
  pg::Group reads;
  read_workflow(reads, input.account(), input.path("id"));
  read_numbers(reads, input.account(), input.path("id"));
  read_types(reads, input.account());
  reads.add(sql::get_store_of_runs, input.account());
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const Workflow workflow = existing(found_workflow(found[0]));
  const contacts::Contact contact = co_await contacts::stored_contact(input, *key);
  pg::Group past;
  read_history(past, input.account(), contact.id, workflow.id);
  const pg::Results results = co_await input.database().run(std::move(past), input.scope());
  std::optional<engine::Definition> definition;
  if (workflow.active_version)
    definition = compiled(definition_of(workflow), *workflow.active_version,
                          known_types(found_types(std::span{found}.subspan(2, kTypeReads))));
  const Numbers numbers = found_numbers(found[1], workflow.stats.revenue.currency);
  const Why why{.workflow = workflow.id,
                .contact = contact.id,
                .gates = explain(workflow, definition ? &*definition : nullptr, contact,
                                 found[2 + kTypeReads][0].view("marketing_requires"),
                                 found_history(results), numbers, input.clock().now())};
  co_return operations::Output::json(why_json().to_json(why));
}

// An answer about a workflow that is not the workflow itself.
template <class Answered>
operations::ResourceOperations part_of(operations::ResourceOperations workflow,
                                       const json::Table<Answered>& table) {
  workflow.resource.clear();
  workflow.hashed = false;
  return workflow.with_answer(table);
}

operations::Description dry_run_operation(const operations::ResourceOperations& workflow) {
  return part_of(workflow, dry_run_result_json())
      .change("dryRunWorkflow", "Try a workflow without any effect",
              "Lets a contact go through the workflow on a virtual clock. Messages are sent unless "
              "quiet "
              "hours or consent prevent it. A coupon node gets the code `EXAMPLE`, a lookup finds "
              "nothing, and the contact has no past. A stored contact needs the scope "
              "`contacts:read`.",
              {.body = operations::body_of(dry_run_json()),
               .parameters = {{"draft",
                               "Try the draft instead of the published version.",
                               {.type = "boolean", .default_value = "false"}}},
               .further_scopes = {"contacts:read"}});
}

operations::Description why_operation(const operations::ResourceOperations& workflow) {
  operations::Description described =
      part_of(workflow, why_json())
          .get("whyWorkflow", "Explain why a contact is where it is in a workflow",
               "One sentence for each gate: status, consent, entry, re-entry, the latest runs and "
               "their "
               "messages. One of the parameters is required. Needs the scope `contacts:read`.");
  described.parameters = {{"email", "The contact's e-mail address.", {.type = "string"}},
                          {"externalId", "The contact's id in the store.", {.type = "string"}},
                          {"contactId", "The contact's id.", {.type = "string", .format = "uuid"}}};
  described.further_scopes = {"contacts:read"};
  return described;
}

}  // namespace

std::vector<operations::Operation> managing_routes(const operations::ResourceOperations& workflow) {
  using operations::Method;
  const auto read = operations::Access::scope("manage-workflows:read");
  const std::string one = "/manage/workflows/{id}";
  return {{Method::get, one + "/numbers", read, get_numbers,
           part_of(workflow, numbers_json())
               .get("getWorkflowNumbers", "Get the numbers of a workflow",
                    "Counts people, of all versions. The numbers are exact at the time of the "
                    "response.")},
          {Method::get, one + "/draft/moves", read, get_moves,
           part_of(workflow, draft_moves_json())
               .get("getDraftMoves", "Preview how publishing a draft moves people",
                    "Lists the nodes where people wait, and whether the draft still has them. Not "
                    "found if the workflow has no draft.")},
          {Method::post, one + "/dry-run", read, dry_run, dry_run_operation(workflow)},
          {Method::get, one + "/why", read, get_why, why_operation(workflow)}};
}

}  // namespace shopbell::workflows

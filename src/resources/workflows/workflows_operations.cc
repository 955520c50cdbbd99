#include "resources/workflows/workflows_operations.h"

#include <format>

#include "base/digest.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/workflows/workflow_json.h"
#include "resources/workflows/workflow_rules.h"
#include "resources/workflows/workflow_store.h"

namespace shopbell::workflows {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

// The ETag is a hash of the body, because its counters change without a new version.
operations::Output answer_of(const Workflow& workflow,
                             const json::Reading& reading = json::Reading{}) {
  Workflow timeless = workflow;
  timeless.created_at = timeless.updated_at = {};
  timeless.activated_at = timeless.finished_at = {};
  operations::Output output = operations::resource_output(
      workflow_json(), workflow,
      '"' + to_hex(sha256(workflow_json().to_json(timeless))).substr(0, 32) + '"', reading);
  output.object = workflow.id;  // the path may have the alias
  return output;
}

Answer list(operations::Input input) {
  const operations::PageRequest page = operations::read_page_request(input);
  Listing listing{.after = page.after, .ascending = page.ascending, .limit = page.limit + 1};
  if (const auto status = input.parameter("status")) listing.status = *status;
  const auto workflows =
      co_await list_workflows(input.database(), input.scope(), std::move(listing));
  co_return operations::page_output<Workflow>(
      input, page, workflow_summary_json(), workflows,
      [](const Workflow& workflow) { return workflow.id.to_string(); });
}

Answer get(operations::Input input) {
  pg::Group reads;
  read_workflow(reads, input.account(), input.path("id"));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  co_return answer_of(existing(found_workflow(found[0])));
}

Answer get_draft(operations::Input input) {
  pg::Group reads;
  read_draft(reads, input.account(), input.path("id"));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  Workflow draft = existing(found_workflow(found[0]));
  draft.shown_version = *draft.draft_version;
  co_return answer_of(draft);
}

Answer create_one(operations::Input input) {
  json::Reading reading = input.reading();
  const Workflow sent = read_sent(input.body(), reading, true);
  reading.finish();
  pg::Group reads;
  read_new(reads, input.account(), sent);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, sent, reading](const operations::Premises& premises, pg::Group& effect) {
        const Workflow made = create(effect, input.account(), sent, premises.results, premises.now);
        operations::Output output = answer_of(made, reading);
        return operations::created(input, std::move(output),
                                   std::format("/workflows/{}", made.id.to_string()));
      });
}

Answer put_draft(operations::Input input) {
  json::Reading reading = input.reading();
  const Workflow sent = read_sent(input.body(), reading, false);
  reading.finish();
  pg::Group reads;
  read_for_draft(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, sent, reading](const operations::Premises& premises, pg::Group& effect) {
        return answer_of(save_draft(effect, input.account(), sent, premises.results, premises.now),
                         reading);
      });
}

Answer publish_one(operations::Input input) {
  pg::Group reads;
  read_for_publishing(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
        return answer_of(publish(effect, input.account(), premises.results, premises.now));
      });
}

using Change = Workflow (*)(pg::Group&, std::int64_t, Workflow, Instant);

Answer change_state(operations::Input input, Change change) {
  pg::Group reads;
  read_workflow(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, change](const operations::Premises& premises, pg::Group& effect) {
        return answer_of(change(effect, input.account(),
                                existing(found_workflow(premises.results[0])), premises.now));
      });
}

Answer pause_one(operations::Input input) { return change_state(input, pause); }
Answer resume_one(operations::Input input) { return change_state(input, resume); }

Answer finish_one(operations::Input input) {
  const std::string mode{input.parameter("mode").value_or("drain")};
  pg::Group reads;
  read_workflow(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, mode](const operations::Premises& premises, pg::Group& effect) {
        return answer_of(finish(effect, input.account(),
                                existing(found_workflow(premises.results[0])), mode, premises.now));
      });
}

operations::Body create_body() {
  return {.name = "NewWorkflow", .schema = new_workflow_schema(), .example = example_workflow()};
}

operations::Body draft_body() {
  return {.name = "WorkflowDraft",
          .schema = draft_schema(),
          .example = R"({"name":"Welcome","trigger":{"event":"contact.created"},)"
                     R"("nodes":[{"id":"end","type":"exit"}]})"};
}

operations::QueryParameter status_filter() {
  return {"status",
          "Only workflows of this status.",
          {.type = "string", .options = {"draft", "active", "paused", "finished"}}};
}

operations::QueryParameter finish_mode() {
  return {"mode",
          "`drain`: runs continue to their end; `stop`: runs end at once.",
          {.type = "string", .default_value = R"("drain")", .options = {"drain", "stop"}}};
}

operations::ResourceOperations workflow_operations() {
  return operations::ResourceOperations{
      .tag = "Workflows",
      .tag_description = "Automations that an event or a schedule starts for a contact.",
      .page_item = workflow_summary_json().schema(),
      .hashed = true}
      .with_answer(workflow_json());
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  using operations::Method;
  const auto shown = operations::Access::scope("workflows:read");
  const auto read = operations::Access::scope("manage-workflows:read");
  const auto write = operations::Access::scope("manage-workflows:write");
  const std::string all = "/manage/workflows/";
  const std::string one = all + "{id}";
  const auto workflow = workflow_operations();
  const operations::OperationDetails unless_finished{.problems = {Code::workflow_finished}};
  return {
      {Method::get, "/workflows/", shown, list,
       workflow.list("listWorkflows", "Get workflows list", "Newest first.", {status_filter()})},
      {Method::get, "/workflows/{id}", shown, get,
       workflow.get("getWorkflow", "Get workflow detail by Id",
                    "Returns the workflow of that id or alias, with its definition.")},
      {Method::get, all, read, list,
       workflow.list("listManagedWorkflows", "List workflows to manage them", "Newest first.",
                     {status_filter()})},
      {Method::post, all, write, create_one,
       workflow.create(
           "createWorkflow", "Create a workflow",
           "Creates a draft. The whole definition is checked. The objects that it "
           "names must exist, and cannot be deleted while it names them.",
           {.body = create_body(),
            .problems = {Code::workflow_invalid, Code::alias_taken, Code::limit_reached}})},
      {Method::get, one + "/draft", read, get_draft,
       workflow.get("getWorkflowDraft", "Get the draft of a workflow",
                    "Not found if the workflow has no unpublished draft.")},
      {Method::put, one + "/draft", write, put_draft,
       workflow.change(
           "saveWorkflowDraft", "Save the draft of a workflow",
           "Replaces the draft; the published version does not change.",
           {.body = draft_body(), .problems = {Code::workflow_invalid, Code::workflow_finished}})},
      {Method::post, one + "/publish", write, publish_one,
       workflow.change("publishWorkflow", "Publish a workflow",
                       "The draft becomes the active version, which never changes. A paused "
                       "workflow stays paused.",
                       unless_finished)},
      {Method::post, one + "/pause", write, pause_one,
       workflow.change("pauseWorkflow", "Pause a workflow",
                       "No run starts until the workflow is resumed. A draft stays a draft.",
                       unless_finished)},
      {Method::post, one + "/resume", write, resume_one,
       workflow.change("resumeWorkflow", "Resume a paused workflow",
                       "A workflow that is not paused does not change.", unless_finished)},
      {Method::post, one + "/finish", write, finish_one,
       workflow.change("finishWorkflow", "Finish a workflow",
                       "Cannot be undone: no run starts any more, and the objects it names can be "
                       "deleted. A finished workflow does not change.",
                       {.parameters = {finish_mode()}})}};
}

}  // namespace shopbell::workflows

#include "resources/workflows/workflows_api.h"

#include <format>

#include "base/digest.h"
#include "http/answer.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/workflows/workflow_json.h"
#include "resources/workflows/workflow_rules.h"
#include "resources/workflows/workflow_store.h"

namespace shopbell::workflows {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

// The body holds counters that change by themselves, so its tag is a hash of what it says.
http::Response answer_of(const Workflow& workflow, const json::Reading& reading = json::Reading{}) {
  Workflow timeless = workflow;
  timeless.created_at = timeless.updated_at = {};
  timeless.activated_at = timeless.finished_at = {};
  return http::resource_answer(
      workflow_json(), workflow,
      '"' + to_hex(sha256(workflow_json().to_json(timeless))).substr(0, 32) + '"', reading);
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  Listing listing{.after = wish.after, .ascending = wish.ascending, .limit = wish.limit + 1};
  if (const auto status = call.parameter("status")) listing.status = *status;
  const auto workflows = co_await list_workflows(call.database(), call.scope(), std::move(listing));
  co_return http::page_answer<Workflow>(
      call, wish, workflow_summary_json(), workflows,
      [](const Workflow& workflow) { return workflow.id.to_string(); });
}

Answer get(http::Call call) {
  pg::Group reads;
  read_workflow(reads, call.account(), call.path("id"));
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  co_return answer_of(existing(found_workflow(found[0])));
}

Answer get_draft(http::Call call) {
  pg::Group reads;
  read_draft(reads, call.account(), call.path("id"));
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  Workflow draft = existing(found_workflow(found[0]));
  draft.shown_version = *draft.draft_version;
  co_return answer_of(draft);
}

Answer create_one(http::Call call) {
  json::Reading reading = call.reading();
  const Workflow sent = read_sent(call.body(), reading, true);
  reading.finish();
  pg::Group reads;
  read_new(reads, call.account(), sent);
  co_return co_await http::write(
      call, std::move(reads),
      [call, sent, reading](const http::Premises& premises, pg::Group& effect) {
        const Workflow made = create(effect, call.account(), sent, premises.results, premises.now);
        http::Response response = answer_of(made, reading);
        response.status = 201;
        response.headers.emplace_back(
            "Location", std::format("{}/workflows/{}", call.base_path(), made.id.to_string()));
        return response;
      });
}

Answer put_draft(http::Call call) {
  json::Reading reading = call.reading();
  const Workflow sent = read_sent(call.body(), reading, false);
  reading.finish();
  pg::Group reads;
  read_for_draft(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads),
      [call, sent, reading](const http::Premises& premises, pg::Group& effect) {
        return answer_of(save_draft(effect, call.account(), sent, premises.results, premises.now),
                         reading);
      });
}

Answer publish_one(http::Call call) {
  pg::Group reads;
  read_for_publishing(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads), [call](const http::Premises& premises, pg::Group& effect) {
        return answer_of(publish(effect, call.account(), premises.results, premises.now));
      });
}

using Change = Workflow (*)(pg::Group&, std::int64_t, Workflow, Instant);

Answer change_state(http::Call call, Change change) {
  pg::Group reads;
  read_workflow(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads), [call, change](const http::Premises& premises, pg::Group& effect) {
        return answer_of(change(effect, call.account(),
                                existing(found_workflow(premises.results[0])), premises.now));
      });
}

Answer pause_one(http::Call call) { return change_state(call, pause); }
Answer resume_one(http::Call call) { return change_state(call, resume); }

Answer finish_one(http::Call call) {
  const std::string mode{call.parameter("mode").value_or("drain")};
  pg::Group reads;
  read_workflow(reads, call.account(), call.path("id"));
  co_return co_await http::write(
      call, std::move(reads), [call, mode](const http::Premises& premises, pg::Group& effect) {
        return answer_of(finish(effect, call.account(),
                                existing(found_workflow(premises.results[0])), mode, premises.now));
      });
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Workflows",
          .tag_description = "What shall happen when something happens to a contact.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = workflow_json().name(),
          .answer = workflow_json().answer_schema(),
          .hashed = true,
          .problems = {Code::not_found}};
}

http::Operation list_operation(std::string id, std::string summary) {
  http::Operation described = operation(std::move(id), std::move(summary), "Newest first.");
  described.parameters = http::page_parameters(
      {{"status",
        "Only workflows of this status.",
        {.type = "string", .options = {"draft", "active", "paused", "finished"}}}});
  described.answer_name = "WorkflowPage";
  described.answer = http::page_schema(workflow_summary_json().name());
  described.answer.members[0].schema.items = {workflow_summary_json().schema()};  // nowhere else
  described.hashed = false;
  described.problems = {Code::invalid_cursor};
  return described;
}

http::Operation create_operation() {
  http::Operation described = operation(
      "createWorkflow", "Create a workflow",
      "As a draft. The definition is checked whole: what it names must be there, and cannot be "
      "deleted while it does.");
  described.success = 201;
  described.body = http::Body{
      .name = "NewWorkflow", .schema = new_workflow_schema(), .example = example_workflow()};
  described.problems = {Code::workflow_invalid, Code::alias_taken, Code::limit_reached};
  return described;
}

http::Operation draft_operation() {
  http::Operation described =
      operation("saveWorkflowDraft", "Save the draft of a workflow",
                "In place of the draft before; what is published stays as it is.");
  described.body =
      http::Body{.name = "WorkflowDraft",
                 .schema = draft_schema(),
                 .example = R"({"name":"Welcome","trigger":{"event":"contact.created"},)"
                            R"("nodes":[{"id":"end","type":"exit"}]})"};
  described.problems = {Code::not_found, Code::workflow_invalid, Code::workflow_finished};
  return described;
}

http::Operation state_operation(std::string id, std::string summary, std::string description) {
  http::Operation described = operation(std::move(id), std::move(summary), std::move(description));
  described.problems = {Code::not_found, Code::workflow_finished};
  return described;
}

http::Operation finish_operation() {
  http::Operation described = operation(
      "finishWorkflow", "Finish a workflow",
      "For good: nothing starts any more, and what it names is free. Again, it changes nothing.");
  described.parameters = {
      {"mode",
       "`drain`: runs go on to their end; `stop`: they end at once.",
       {.type = "string", .default_value = R"("drain")", .options = {"drain", "stop"}}}};
  return described;
}

}  // namespace

std::vector<http::Route> routes() {
  const auto shown = http::Access::scope("workflows:read");
  const auto read = http::Access::scope("manage-workflows:read");
  const auto write = http::Access::scope("manage-workflows:write");
  using http::Method;
  return {
      {Method::get, "/workflows/", shown, list,
       list_operation("listWorkflows", "Get workflows list")},
      {Method::get, "/workflows/{id}", shown, get,
       operation("getWorkflow", "Get workflow detail by Id",
                 "By its id or its alias, with its definition.")},
      {Method::get, "/manage/workflows/", read, list,
       list_operation("listManagedWorkflows", "List workflows to manage them")},
      {Method::post, "/manage/workflows/", write, create_one, create_operation()},
      {Method::get, "/manage/workflows/{id}/draft", read, get_draft,
       operation("getWorkflowDraft", "Get the draft of a workflow",
                 "Not found when everything is published.")},
      {Method::put, "/manage/workflows/{id}/draft", write, put_draft, draft_operation()},
      {Method::post, "/manage/workflows/{id}/publish", write, publish_one,
       state_operation("publishWorkflow", "Publish a workflow",
                       "The draft becomes the version that holds, for good as it is. A workflow "
                       "that is paused stays so.")},
      {Method::post, "/manage/workflows/{id}/pause", write, pause_one,
       state_operation("pauseWorkflow", "Pause a workflow",
                       "Nothing starts until it is resumed. A draft stays a draft.")},
      {Method::post, "/manage/workflows/{id}/resume", write, resume_one,
       state_operation("resumeWorkflow", "Resume a paused workflow",
                       "One that is not paused stays as it is.")},
      {Method::post, "/manage/workflows/{id}/finish", write, finish_one, finish_operation()}};
}

}  // namespace shopbell::workflows

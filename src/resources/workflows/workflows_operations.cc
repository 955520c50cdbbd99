#include "resources/workflows/workflows_operations.h"

#include <algorithm>
#include <format>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "base/digest.h"
#include "json/maps.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/runs/run_commands.h"
#include "resources/workflows/managing_operations.h"
#include "resources/workflows/workflow_json.h"
#include "resources/workflows/workflow_numbers.h"
#include "resources/workflows/workflow_rules.h"
#include "resources/workflows/workflow_store.h"

namespace shopbell::workflows {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

void set_running(Workflow& workflow) { workflow.running = workflow.status == "active"; }

// The ETag is a hash of the body, because its counters change without a new version.
operations::Output answer_of(Workflow workflow, const json::Reading& reading = json::Reading{}) {
  set_running(workflow);
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
  auto workflows = co_await list_workflows(input.database(), input.scope(), std::move(listing));
  std::ranges::for_each(workflows, set_running);
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

// The nodes of the version that runs move from, and of the one that they move to.
struct Publication {
  std::map<std::string, std::string> nodes;
};

const json::Table<Publication>& publication_json() {
  static const json::Table<Publication> table{
      "Publication",
      "How runs of earlier versions move to the published one.",
      {json::texts_by_name("nodes", &Publication::nodes, {limits::kWorkflowNodes, {}, {}})
           .doc("From nodes of earlier versions to nodes of the published one. Runs at these nodes "
                "move; the others finish on their version.")
           .example(R"({"day":"twoDays"})")}};
  return table;
}

Publication read_publication(const operations::Input& input, json::Reading& reading) {
  Publication publication;
  if (input.has_body()) publication_json().read_new(input.body(), reading).apply_to(publication);
  reading.finish();
  return publication;
}

Answer publish_one(operations::Input input) {
  json::Reading reading = input.reading();
  const Publication publication = read_publication(input, reading);
  pg::Group reads;
  runs::read_unfinished_commands(reads, input.account());
  read_numbers(reads, input.account(), input.path("id"));
  read_for_publishing(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, publication, reading](const operations::Premises& premises, pg::Group& effect) {
        json::Reading judged = reading;
        const auto results = premises.results;
        const Workflow published =
            publish(effect, input.account(), results.subspan(2), premises.now);
        if (publication.nodes.empty()) return answer_of(published, reading);
        std::set<std::string> known;
        const Workflow before = existing(found_workflow(results[2]));
        const Numbers numbers = found_numbers(results[1], before.stats.revenue.currency);
        for (const auto& node : numbers.nodes) known.insert(node.node);
        for (const auto& node : node_ids(before)) known.insert(node);
        const auto command = moves_of(judged, published, publication.nodes, known);
        judged.finish();
        runs::queue_command(effect, input.account(), results[0], command, input.caller().key(),
                            premises.now);
        return answer_of(published, reading);
      });
}

using Change = std::function<Workflow(pg::Group&, std::int64_t, Workflow, Instant)>;

// Changes the state of a workflow, and queues the command that its runs then need.
Answer change_state(operations::Input input, Change change, std::string mode) {
  pg::Group reads;
  runs::read_unfinished_commands(reads, input.account());
  read_workflow(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, change, mode](const operations::Premises& premises, pg::Group& effect) {
        const Workflow before = existing(found_workflow(premises.results[1]));
        const Workflow after = change(effect, input.account(), before, premises.now);
        if (const auto command = command_of_change(before, after, mode))
          runs::queue_command(effect, input.account(), premises.results[0], *command,
                              input.caller().key(), premises.now);
        return answer_of(after);
      });
}

Answer pause_one(operations::Input input) { return change_state(input, pause, ""); }
Answer resume_one(operations::Input input) { return change_state(input, resume, ""); }

Answer finish_one(operations::Input input) {
  const std::string mode{input.parameter("mode").value_or("drain")};
  return change_state(
      input,
      [mode](pg::Group& effect, std::int64_t account, Workflow workflow, Instant now) {
        return finish(effect, account, std::move(workflow), mode, now);
      },
      mode);
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
          "`drain`: runs continue to their end; `stop`: runs end, in the background.",
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
  const operations::OperationDetails unless_finished{
      .problems = {Code::workflow_finished, Code::limit_reached}};
  std::vector<operations::Operation> operations{
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
       workflow.change(
           "publishWorkflow", "Publish a workflow",
           "The draft becomes the active version, which never changes. A paused "
           "workflow stays paused. Runs finish on the version that they started on; "
           "with `nodes`, those at the named nodes move to the active version, in the "
           "background.",
           {.body = operations::body_of(publication_json()),
            .problems = {Code::workflow_finished, Code::workflow_invalid, Code::limit_reached}})},
      {Method::post, one + "/pause", write, pause_one,
       workflow.change("pauseWorkflow", "Pause a workflow",
                       "No run starts until the workflow is resumed. A run that is due, or that an "
                       "event moves, is held; exits still end runs. A draft stays a draft.",
                       unless_finished)},
      {Method::post, one + "/resume", write, resume_one,
       workflow.change("resumeWorkflow", "Resume a paused workflow",
                       "Held runs go on, in the background. A workflow that is not paused does not "
                       "change.",
                       unless_finished)},
      {Method::post, one + "/finish", write, finish_one,
       workflow.change("finishWorkflow", "Finish a workflow",
                       "Cannot be undone: no run starts any more, and the objects it names can be "
                       "deleted. A finished workflow does not change, but `stop` still ends the "
                       "runs of one that was finished with `drain`.",
                       {.parameters = {finish_mode()}, .problems = {Code::limit_reached}})}};
  std::ranges::move(managing_routes(workflow), std::back_inserter(operations));
  return operations;
}

}  // namespace shopbell::workflows

#include "resources/runs/runs_operations.h"

#include "base/problem.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/runs/run_json.h"
#include "resources/runs/run_store.h"

namespace shopbell::runs {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

Run existing(std::optional<Run> found) {
  if (!found) throw Problem{Code::not_found, "There is no run of that id."};
  return std::move(*found);
}

// No run has a malformed id.
Uuid id_of(const operations::Input& input) {
  const auto id = Uuid::parse(input.path("id"));
  if (!id) throw Problem{Code::not_found, "There is no run of that id."};
  return *id;
}

[[noreturn]] void refuse(std::string parameter, std::string detail) {
  throw Problem{
      Code::invalid_parameter,
      detail,
      {{Fault::Where::parameter, std::move(parameter), "not-an-option", std::move(detail)}}};
}

boost::asio::awaitable<Listing> listing_of(operations::Input input) {
  Listing listing;
  if (const auto state = input.parameter("state")) listing.state = *state;
  if (const auto node = input.parameter("node")) listing.node = *node;
  if (const auto contact = input.parameter("contactId")) {
    listing.contact = Uuid::parse(*contact);
    if (!listing.contact) refuse("contactId", "Is not the id of a contact.");
  }
  if (const auto workflow = input.parameter("workflow")) {
    listing.workflow =
        co_await find_workflow(input.database(), input.scope(), std::string{*workflow});
    if (!listing.workflow) refuse("workflow", "There is no workflow of that id or alias.");
  }
  if (!listing.workflow && !listing.contact)
    refuse("workflow", "Name a workflow, a contact or both.");
  co_return listing;
}

Answer list(operations::Input input) {
  const operations::PageRequest page = operations::read_page_request(input);
  Listing listing = co_await listing_of(input);
  listing.after = page.after;
  listing.ascending = page.ascending;
  listing.limit = page.limit;
  const RunPage found = co_await list_runs(input.database(), input.scope(), std::move(listing));
  json::Writer writer;
  writer.begin_object().key("data").begin_list();
  for (const auto& run : found.runs) run_summary_json().write(writer, run);
  writer.end();
  co_return operations::end_page(input, writer, found.next);
}

Answer get(operations::Input input) {
  pg::Group reads;
  read_run(reads, input.account(), id_of(input));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  Run run = existing(found_run(found[0]));
  run.messages = co_await list_messages(input.database(), input.scope(), run.contact, run.id);
  co_return operations::resource_output(run_json(), run, "");
}

// The lanes apply the command after this answer, which shows the run as it was before.
operations::Output accepted(const Run& run) {
  operations::Output output = operations::resource_output(run_summary_json(), run, "");
  output.outcome = operations::Outcome::accepted;
  return output;
}

// Tells the lanes, unless the run already is as the caller wants it.
Answer act(operations::Input input, bool (*needs)(const Run&), std::string_view what,
           std::string_view why) {
  pg::Group reads;
  read_run(reads, input.account(), id_of(input));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, needs, what, why](const operations::Premises& premises, pg::Group& effect) {
        const Run run = existing(found_run(premises.results[0]));
        if (needs(run)) command(effect, input.account(), run, what, why, premises.now);
        return accepted(run);
      });
}

bool is_stopped(const Run& run) { return run.state == "parked" || run.state == "held"; }
bool is_unfinished(const Run& run) { return run.state == "open" || is_stopped(run); }

Answer retry(operations::Input input) { return act(input, is_stopped, "release", ""); }
Answer end(operations::Input input) { return act(input, is_unfinished, "end", "ended"); }

std::vector<operations::QueryParameter> filters() {
  return {{"workflow", "Only runs of the workflow with this id or alias.", {.type = "string"}},
          {"contactId",
           "Only runs of this contact. `workflow` or `contactId` is required.",
           {.type = "string", .format = "uuid"}},
          {"node", "Only runs that are at this node, or ended there.", {.type = "string"}},
          {"state",
           "Only runs in this state.",
           {.type = "string", .options = {"open", "held", "parked", "done", "ended"}}}};
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  using operations::Method;
  const auto read = operations::Access::scope("manage-workflows:read");
  const auto write = operations::Access::scope("manage-workflows:write");
  const std::string one = "/manage/runs/{id}";
  operations::ResourceOperations runs{.tag = "Runs",
                                      .tag_description = "Each contact's way through a workflow.",
                                      .page_item = json::Schema{.reference = "RunSummary"}};
  const auto run = runs.with_answer(run_json());
  auto summary = runs.with_answer(run_summary_json());
  summary.resource = run.resource;
  operations::Description listed =
      run.list("listRuns", "List runs",
               "The latest started come first, unfinished and ended ones. With `node` or `state`, "
               "a page may have fewer runs than `limit`, or none, and still have a `nextCursor`.",
               filters());
  return {{Method::get, "/manage/runs/", read, list, std::move(listed)},
          {Method::get, one, read, get,
           run.get("getRun", "Get a run with its timeline",
                   "Shows the steps that the run has taken, and its messages. Runs that ended are "
                   "kept for 13 months.")},
          {Method::post, one + "/retry", write, retry,
           summary.enqueue("retryRun", "Retry a run",
                           "A parked run tries its node again, and a held run goes on, within "
                           "seconds. The response shows the run as it was before.")},
          {Method::post, one + "/end", write, end,
           summary.enqueue("endRun", "End a run",
                           "The run ends where it is within seconds, and its planned message is "
                           "not sent. The response shows the run as it was before.")}};
}

}  // namespace shopbell::runs

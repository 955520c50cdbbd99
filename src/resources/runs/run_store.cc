#include "resources/runs/run_store.h"

#include "base/limits.h"
#include "events/event.h"
#include "json/writer.h"
#include "resources/runs/queries.h"
#include "resources/runs/run_limits.h"

namespace shopbell::runs {

namespace {

constexpr std::string_view kLowest = "00000000-0000-0000-0000-000000000000";
constexpr std::string_view kHighest = "ffffffff-ffff-ffff-ffff-ffffffffffff";

Run run_of(const pg::Row& row) {
  Run run{.id = row.uuid("run_id"),
          .workflow = row.uuid("workflow_id"),
          .contact = row.uuid("contact_id"),
          .version = row.integer("version"),
          .state = row.text("state"),
          .node = row.text("node"),
          .key = row.maybe_text("key"),
          .started_at = row.instant("started_at"),
          .node_since = row.maybe_instant("node_since"),
          .due_at = row.maybe_instant("due_at"),
          .ended_at = row.maybe_instant("ended_at"),
          .converted = row.boolean("converted"),
          .why = row.maybe_text("why")};
  if (run.key && run.key->empty()) run.key.reset();
  if (run.why && run.why->empty()) run.why.reset();
  return run;
}

Message message_of(const pg::Row& row) {
  return {.id = row.text("message_id"),
          .node = row.maybe_text("node"),
          .template_name = row.text("template"),
          .message_class = row.text("class"),
          .state = row.text("state"),
          .reason = row.maybe_text("reason"),
          .planned_at = row.instant("planned_at"),
          .due_at = row.maybe_instant("due_at"),
          .ended_at = row.maybe_instant("ended_at")};
}

}  // namespace

void read_run(pg::Group& reads, std::int64_t account, const Uuid& id) {
  reads.add(sql::get_run, account, id, time_of(id));
}

std::optional<Run> found_run(const pg::Result& result) {
  return result.first().transform([](const pg::Row& row) {
    Run run = run_of(row);
    run.trail = steps_of(row.view("trail"));
    return run;
  });
}

boost::asio::awaitable<std::vector<Message>> list_messages(pg::Pool& database, pg::Scope scope,
                                                           Uuid contact, Uuid run) {
  const pg::Result found = co_await database.query(scope, sql::list_messages_of_run, *scope.account,
                                                   contact, run, lowest_id(run));
  co_return found.map(message_of);
}

boost::asio::awaitable<std::optional<Uuid>> find_workflow(pg::Pool& database, pg::Scope scope,
                                                          std::string name) {
  const pg::Result found =
      co_await database.query(scope, sql::find_workflow, *scope.account, name, Uuid::parse(name));
  co_return found.first().transform([](const pg::Row& row) { return row.uuid("workflow_id"); });
}

boost::asio::awaitable<RunPage> list_runs(pg::Pool& database, pg::Scope scope, Listing listing) {
  const std::int64_t more = listing.limit + 1;  // one more run shows that another page follows
  const std::int64_t looked = listing.state || listing.node ? limits::kRunsLookedAt : more;
  const std::string after =
      listing.after.value_or(std::string{listing.ascending ? kLowest : kHighest});
  pg::Group reads;
  if (listing.contact) {
    reads.add(
        listing.ascending ? sql::list_oldest_runs_of_contact : sql::list_newest_runs_of_contact,
        *scope.account, listing.workflow, after, listing.state, listing.node, more, looked,
        *listing.contact);
  } else {
    reads.add(
        listing.ascending ? sql::list_oldest_runs_of_workflow : sql::list_newest_runs_of_workflow,
        *scope.account, listing.workflow, after, listing.state, listing.node, more, looked);
  }
  const pg::Results found = co_await database.run(std::move(reads), scope);
  RunPage page;
  for (std::size_t i = 0; i < found[0].size(); ++i)
    if (found[0][i].find("run_id")) page.runs.push_back(run_of(found[0][i]));
  if (page.runs.size() == static_cast<std::size_t>(more)) {
    page.runs.pop_back();
    page.next = page.runs.back().id.to_string();
  } else if (listing.state || listing.node) {
    page.next = found[0][0].maybe_text("last");
  }
  co_return page;
}

void command(pg::Group& effect, std::int64_t account, const Run& run, std::string_view command,
             std::string_view why, Instant now) {
  json::Writer payload;
  payload.begin_object().key("command").text(command).key("runId").text(run.id.to_string());
  if (!why.empty()) payload.key("why").text(why);
  events::append(effect, account,
                 {.uid = Uuid::v7(now),
                  .lane = events::lane_of(account, run.contact),
                  .contact_id = run.contact,
                  .contact_seq = std::nullopt,
                  .subject = std::nullopt,
                  .kind = "run-command",
                  .occurred_at = now,
                  .cause_uid = std::nullopt,
                  .trace = std::nullopt,
                  .payload = payload.end().finish()});
}

}  // namespace shopbell::runs

#include "resources/runs/run_commands.h"

#include <format>
#include <stdexcept>

#include "base/limits.h"
#include "base/problem.h"
#include "event_log/log_status.h"
#include "events/event.h"
#include "jobs/job_store.h"
#include "json/document.h"
#include "json/writer.h"
#include "resources/runs/queries.h"
#include "runtime/wait.h"

namespace shopbell::runs {

namespace {

const std::string kCommandsKind = "run-commands";
constexpr std::size_t kRunsPerEvent = 500;

std::string options_of(const Command& command) {
  json::Writer writer;
  writer.begin_object().key("workflowId").text(command.workflow.to_string());
  writer.key("command").text(command.kind).key("why").text(command.why);
  writer.key("version").integer(command.version).key("nodes").begin_object();
  for (const auto& [from, to] : command.nodes) writer.key(from).text(to);
  return writer.end().end().finish();
}

std::string text_of(const json::Value& object, std::string_view name) {
  return std::string{object.member(name).value().text()};
}

Command command_of(const jobs::Job& job) {
  const auto document = json::Document::parse(job.options);
  if (!document) throw std::logic_error{"the options of a job are not JSON"};
  const json::Value options = document->root();
  Command command{.workflow = Uuid::parse(text_of(options, "workflowId")).value(),
                  .kind = text_of(options, "command"),
                  .why = text_of(options, "why"),
                  .version = std::stoll(std::string{options.member("version")->number_text()}),
                  .nodes = {}};
  options.member("nodes")->for_each([&](std::string_view from, const json::Value& to) {
    command.nodes.emplace(from, to.text());
  });
  return command;
}

// The run up to which an earlier attempt has come.
std::string checkpoint_of(const jobs::Job& job) {
  if (!job.result) return "00000000-0000-0000-0000-000000000000";
  const auto document = json::Document::parse(*job.result);
  if (!document) throw std::logic_error{"the checkpoint of a job is not JSON"};
  return text_of(document->root(), "after");
}

std::string checkpoint(const std::string& after) {
  json::Writer writer;
  return writer.begin_object().key("after").text(after).end().finish();
}

// A batch of the lanes that began before the workflow's state changed still uses the old state. The
// walk begins once such batches have ended, so it meets every run that they start, hold or move.
boost::asio::awaitable<void> wait_for_lanes(jobs::Running& running) {
  const auto until = runtime::Steady::now() + limits::kTransactionMost;
  const pg::Result now = co_await running.database().query({}, sql::get_transactions);
  const std::string newest = now[0].text("newest");
  while (runtime::Steady::now() < until) {
    const pg::Result later =
        co_await running.database().query({}, sql::have_transactions_ended, newest);
    if (later[0].boolean("ended")) break;
    running.check();
    co_await runtime::sleep_for(limits::kJobPoll);
  }
}

// Lets the lanes apply earlier commands first, so that live events wait for about a second at most.
boost::asio::awaitable<void> pause_for_lanes(jobs::Running& running,
                                             std::chrono::milliseconds pace) {
  co_await runtime::sleep_for(pace);
  while (true) {
    running.check();
    const event_log::Status status = co_await event_log::read_status(running.database());
    const auto lag = status.readers.find("automation");
    if (lag == status.readers.end() || lag->second.seconds < 1) break;
    co_await runtime::sleep_for(limits::kJobPoll);
  }
}

std::string payload_of(const Command& command, const pg::Result& runs, std::size_t first,
                       std::size_t last) {
  json::Writer writer;
  writer.begin_object().key("command").text(command.kind);
  if (!command.why.empty()) writer.key("why").text(command.why);
  if (command.kind == "move") {
    writer.key("version").integer(command.version).key("nodes").begin_object();
    for (const auto& [from, to] : command.nodes) writer.key(from).text(to);
    writer.end();
  }
  writer.key("runs").begin_list();
  for (std::size_t i = first; i < last; ++i)
    writer.begin_object()
        .key("contactId")
        .text(runs[i].view("contact_id"))
        .key("runId")
        .text(runs[i].view("run_id"))
        .end();
  return writer.end().end().finish();
}

// The runs are ordered by lane: one event for up to 500 runs of a group of lanes.
std::vector<events::AccountEvent> events_of(const jobs::Job& job, const Command& command,
                                            const pg::Result& runs, Instant now) {
  std::vector<events::AccountEvent> events;
  const auto group_of = [&](std::size_t i) { return runs[i].integer("lane") >> 4; };
  for (std::size_t first = 0, last = 0; first < runs.size(); first = last) {
    while (last < runs.size() && last - first < kRunsPerEvent && group_of(last) == group_of(first))
      ++last;
    events.push_back({.account = job.account,
                      .event = {.uid = Uuid::v7(now),
                                .lane = static_cast<std::int16_t>(runs[first].integer("lane")),
                                .contact_id = std::nullopt,
                                .contact_seq = std::nullopt,
                                .subject = std::nullopt,
                                .kind = "run-command",
                                .occurred_at = now,
                                .cause_uid = std::nullopt,
                                .source = "service",
                                .trace = std::nullopt,
                                .payload = payload_of(command, runs, first, last)}});
  }
  return events;
}

boost::asio::awaitable<jobs::Done> walk(jobs::Running& running, std::chrono::milliseconds pace,
                                        std::int64_t page) {
  const jobs::Job& job = running.job();
  const Command command = command_of(job);
  std::vector<std::string> nodes;
  nodes.reserve(command.nodes.size());
  for (const auto& [from, to] : command.nodes) nodes.push_back(from);
  std::optional<std::string> after = checkpoint_of(job);
  running.progress.done = job.done;
  co_await wait_for_lanes(running);
  while (after) {
    running.check();
    const pg::Result found = co_await running.database().query(
        {}, sql::list_commanded_runs, job.account, command.workflow, *after, page, command.kind,
        nodes, command.version);
    after = found[0].maybe_text("last");
    if (!found[0].find("run_id")) continue;
    const auto events = events_of(job, command, found, found[0].instant("now"));
    running.progress.done += static_cast<std::int64_t>(found.size());
    pg::Group effect;
    jobs::hold(effect, job, running.progress,
               checkpoint(after.value_or("ffffffff-ffff-ffff-ffff-ffffffffffff")));
    events::append(effect, events);
    co_await running.database().run(std::move(effect), {});
    if (after) co_await pause_for_lanes(running, pace);
  }
  co_return jobs::Done{.result = checkpoint("ffffffff-ffff-ffff-ffff-ffffffffffff"),
                       .expires_at = std::nullopt,
                       .at = co_await jobs::read_time(running.database()),
                       .effect = {}};
}

}  // namespace

void read_unfinished_commands(pg::Group& reads, std::int64_t account) {
  jobs::read_unfinished(reads, account, kCommandsKind);
}

void queue_command(pg::Group& effect, std::int64_t account, const pg::Result& unfinished,
                   const Command& command, std::optional<Uuid> key, Instant now) {
  if (jobs::found_unfinished(unfinished) >= limits::kRunCommandsUnfinished)
    throw Problem{Code::limit_reached,
                  std::format("At most {} changes of workflows can be in progress for their runs. "
                              "Try again later.",
                              limits::kRunCommandsUnfinished)};
  jobs::Job job;
  job.account = account;
  job.id = Uuid::v7(now);
  job.kind = kCommandsKind;
  job.type = command.kind;
  job.options = options_of(command);
  job.key = key;
  job.queued_at = job.updated_at = now;
  jobs::add_job(effect, job, limits::kRunCommandsUnfinished);
}

jobs::Kind run_commands_kind(std::chrono::milliseconds pace, std::int64_t page) {
  return {.name = kCommandsKind,
          .run = [pace, page](jobs::Running& running) { return walk(running, pace, page); },
          .take_back = [](const jobs::Job&) -> boost::asio::awaitable<void> { co_return; }};
}

}  // namespace shopbell::runs

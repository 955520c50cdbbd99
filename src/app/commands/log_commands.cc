#include "app/commands/log_commands.h"

#include <algorithm>
#include <cstdio>
#include <print>

#include "app/session/operator_session.h"
#include "event_log/log_status.h"
#include "stream/message.h"

namespace shopbell::app {

namespace {

constexpr std::int64_t kParkedShown = 100;

void show_status(const Config& config) {
  OperatorSession as_operator{config};
  const event_log::Status status = as_operator.run(event_log::read_status(as_operator.database()));
  if (status.newest) {
    std::println("newest tick {} of epoch {}, made {}", status.newest->tick, status.newest->epoch,
                 to_rfc3339(status.newest->at));
  } else {
    std::println("no tick exists yet: is a process running?");
  }
  std::println("\n{:<36} {:<10} {:>7} {:>7}  {}", "PROCESS", "VERSION", "SILENT", "GROUPS",
               "STATE");
  for (const auto& process : status.processes) {
    std::println("{:<36} {:<10} {:>5.1f} s {:>7}  {}{}", process.process.to_string(),
                 process.version, process.silent_s, process.groups,
                 process.alive ? "alive" : "silent", process.makes_ticks ? ", makes ticks" : "");
  }
  if (std::ranges::none_of(status.processes,
                           [](const auto& one) { return one.makes_ticks && one.alive; }))
    std::println(
        "no process creates ticks: events are stored, and will be read once a process "
        "runs");
  std::println("\n{:<20} {:>12} {:>10} {:>8}", "READER", "EVENTS LEFT", "BEHIND", "PARKED");
  for (const auto& [name, lag] : status.readers)
    std::println("{:<20} {:>12} {:>8.1f} s {:>8}", name, lag.events, lag.seconds, lag.parked);
}

void show_parked(const Config& config, const std::string& forget) {
  OperatorSession as_operator{config};
  if (!forget.empty()) {
    const auto count = as_operator.change("forgetParkedEvents", "readers/" + forget,
                                          [&](pg::Transaction& transaction) {
                                            return event_log::forget_parked(transaction, forget);
                                          });
    std::println("{} parked events of {} deleted", count, forget);
    return;
  }
  const auto parked = as_operator.run(event_log::list_parked(as_operator.database(), kParkedShown));
  if (parked.empty()) std::println("no event is parked");
  for (const auto& event : parked) {
    std::println("{} {} account {} {} {}\n  {}", to_rfc3339(event.parked_at), event.reader,
                 event.account, event.kind, event.uid.to_string(), event.reason);
  }
}

void drop_reader(const Config& config, const std::string& reader) {
  OperatorSession as_operator{config};
  const auto groups = as_operator.change(
      "dropReader", "readers/" + reader,
      [&](pg::Transaction& transaction) { return event_log::drop_reader(transaction, reader); });
  if (groups == 0) throw std::runtime_error{std::format("the reader {} does not exist", reader)};
  std::println(
      "reader {} is dropped: it will not get the events that it had not read.\nIf a process still "
      "configures it, it restarts from now.",
      reader);
}

void begin_epoch(const Config& config) {
  OperatorSession as_operator{config};
  const event_log::Status status = as_operator.run(event_log::read_status(as_operator.database()));
  if (std::ranges::any_of(status.processes, &event_log::ProcessStatus::alive))
    throw std::runtime_error{
        "a process is running: stop all processes first, then run this command again"};
  as_operator.change("beginEpoch", "log", event_log::begin_epoch);
  std::println("the next process that starts will begin a new epoch of the event log");
}

void tail(const Config& config, std::int64_t count) {
  OperatorSession as_operator{config};
  std::int64_t left = count;
  as_operator.run(event_log::follow(as_operator.database(), [&](const event_log::Entry& entry) {
    std::println("{}", stream::message_of(entry));
    std::fflush(stdout);
    return count == 0 || --left > 0;
  }));
}

struct LogOptions {
  std::string forget;
  std::string reader;
  std::int64_t count = 0;
};

}  // namespace

void add_log_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<LogOptions>();
  auto* log =
      commands.add_subcommand("log", "The event log and its readers")->require_subcommand(1);
  log->add_subcommand("status", "Show ticks, processes and the lag of readers")->callback([=] {
    show_status(config());
  });
  auto* parked = log->add_subcommand("parked",
                                     "List parked events, which a reader could not "
                                     "process");
  parked->add_option("--forget", options->forget,
                     "Delete the parked events of this reader "
                     "instead");
  parked->callback([=] { show_parked(config(), options->forget); });
  auto* drop = log->add_subcommand("drop-reader",
                                   "Remove a reader, so that nothing is kept for "
                                   "it");
  drop->add_option("READER", options->reader, "Name of the reader, from `log status`")->required();
  drop->callback([=] { drop_reader(config(), options->reader); });
  log->add_subcommand("new-epoch", "Declare that this database was restored from a copy")
      ->callback([=] { begin_epoch(config()); });
  auto* follow = log->add_subcommand("tail",
                                     "Print events as they are committed, one JSON object "
                                     "per line");
  follow->add_option("--count", options->count, "Exit after this number of events; 0: never")
      ->check(CLI::NonNegativeNumber);
  follow->callback([=] { tail(config(), options->count); });
}

}  // namespace shopbell::app

// Runs in the database. Only this file uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/runs/run.h"

namespace shopbell::runs {

// Reads one run, also an ended one.
void read_run(pg::Group& reads, std::int64_t account, const Uuid& id);
std::optional<Run> found_run(const pg::Result& result);

boost::asio::awaitable<std::vector<Message>> list_messages(pg::Pool& database, pg::Scope scope,
                                                           Uuid contact, Uuid run);

// Returns the id of the workflow with that id or alias.
boost::asio::awaitable<std::optional<Uuid>> find_workflow(pg::Pool& database, pg::Scope scope,
                                                          std::string name);

// At least a workflow or a contact.
struct Listing {
  std::optional<Uuid> workflow;
  std::optional<Uuid> contact;
  std::optional<std::string> state;
  std::optional<std::string> node;
  std::optional<std::string> after;
  bool ascending = false;
  std::int64_t limit = 0;
};
struct RunPage {
  std::vector<Run> runs;
  std::optional<std::string> next;  // the run after which the next page starts
};
boost::asio::awaitable<RunPage> list_runs(pg::Pool& database, pg::Scope scope, Listing listing);

// Adds the event by which the lanes apply a command to the run: {"command": "release"} or
// {"command": "end", "why": …}.
void command(pg::Group& effect, std::int64_t account, const Run& run, std::string_view command,
             std::string_view why, Instant now);

}  // namespace shopbell::runs

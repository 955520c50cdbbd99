// Reads the runs, and compares the numbers of the workflow with a recount.
#include <chrono>
#include <format>
#include <thread>

#include "json/document.h"
#include "runtime/wait.h"
#include "tests/proofs/proofs/live_edit.h"

namespace shopbell::proofs {

using namespace std::chrono_literals;
using runtime::Steady;

namespace {

Numbers numbers_of(const pg::Result& rows) {
  Numbers numbers;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const std::int64_t people = rows[i].integer("people"); people != 0)
      numbers[{rows[i].text("node"), rows[i].text("counter")}] = people;
  return numbers;
}

std::int64_t integer_of(const json::Value& value) {
  return std::stoll(std::string{value.number_text()});
}

void add(Numbers& numbers, const std::string& node, std::string_view counter,
         const json::Value& value) {
  if (const std::int64_t people = integer_of(value); people != 0)
    numbers[{node, std::string{counter}}] = people;
}

}  // namespace

FoundRuns find_runs(pg::Script& database) {
  const pg::Result rows = database.query(
      "SELECT run_id, key, version, node, state FROM run UNION ALL "
      "SELECT run_id, key, version, node, 'ended' FROM run_history");
  FoundRuns runs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const FoundRun run{.key = rows[i].text("key"),
                       .version = rows[i].integer("version"),
                       .node = rows[i].text("node"),
                       .state = rows[i].text("state")};
    const auto [known, is_first] = runs.emplace(rows[i].text("run_id"), run);
    if (!is_first) known->second.is_there_twice = true;
  }
  return runs;
}

Numbers recount(pg::Script& database) {
  return numbers_of(database.query(
      "WITH every AS (SELECT contact_id, state, trail, why FROM run UNION ALL "
      "               SELECT contact_id, 'ended', trail, why FROM run_history), "
      "step AS (SELECT contact_id, split_part(line, E'\\t', 1) AS node, "
      "                split_part(line, E'\\t', 2) AS edge "
      "           FROM every, regexp_split_to_table(trail, E'\\n') line WHERE line <> '') "
      "SELECT node, CASE edge WHEN '' THEN 'reached' ELSE edge END AS counter, "
      "       count(DISTINCT contact_id) AS people FROM step GROUP BY 1, 2 "
      "UNION ALL SELECT node, 'waiting', count(DISTINCT contact_id) FROM run "
      "           WHERE state <> 'done' GROUP BY node "
      "UNION ALL SELECT '', 'active', count(DISTINCT contact_id) FROM run WHERE state <> 'done' "
      "UNION ALL SELECT '', 'entered', count(DISTINCT contact_id) FROM every "
      "UNION ALL SELECT '', 'completed', count(DISTINCT contact_id) FROM every "
      "           WHERE state IN ('done', 'ended') AND why = 'completed' "
      "UNION ALL SELECT '', 'exited', count(DISTINCT contact_id) FROM every "
      "           WHERE state IN ('done', 'ended') AND why <> 'completed'"));
}

Numbers stored_numbers(pg::Script& database) {
  return numbers_of(
      database.query("SELECT node, counter, sum(people)::bigint AS people FROM workflow_number "
                     "GROUP BY node, counter"));
}

Numbers shown_numbers(const WorkflowShop& shop, const std::string& workflow) {
  const auto shown = json::Document::parse(
      shop.ask({.path = std::format("/manage/workflows/{}/numbers", workflow)}));
  const auto whole =
      json::Document::parse(shop.ask({.path = std::format("/workflows/{}", workflow)}));
  const json::Value stats = whole->root().member("stats").value();
  Numbers numbers;
  for (const std::string_view counter : {"entered", "active", "completed", "exited"}) {
    const json::Value people = shown->root().member(counter).value();
    add(numbers, "", counter, people);
    if (integer_of(people) != integer_of(stats.member(counter).value()))
      numbers[{"", std::format("{} in stats", counter)}] =
          integer_of(stats.member(counter).value());
  }
  shown->root().member("nodes")->for_each([&](std::string_view, const json::Value& node) {
    const std::string id{node.member("node")->text()};
    add(numbers, id, "reached", node.member("reached").value());
    add(numbers, id, "waiting", node.member("waiting").value());
    node.member("passed")->for_each(
        [&](std::string_view edge, const json::Value& people) { add(numbers, id, edge, people); });
  });
  return numbers;
}

std::string difference(const Numbers& wanted, const Numbers& found) {
  std::string text;
  const auto tell = [&](const auto& key, std::int64_t recounted, std::int64_t shown) {
    if (text.size() < 300)
      text += std::format("{}{}.{} is {}, recounted {}", text.empty() ? "" : ", ", key.first,
                          key.second, shown, recounted);
  };
  for (const auto& [key, people] : wanted) {
    const auto shown = found.find(key);
    if (shown == found.end() || shown->second != people)
      tell(key, people, shown == found.end() ? 0 : shown->second);
  }
  for (const auto& [key, people] : found)
    if (!wanted.contains(key)) tell(key, 0, people);
  return text;
}

bool await_rest(pg::Script& database, std::chrono::seconds patience) {
  const auto is_at_rest = [&] {
    return database
        .query(
            "SELECT NOT EXISTS (SELECT FROM job WHERE state IN ('queued', 'inProgress')) "
            "AND NOT EXISTS (SELECT FROM message WHERE state = 'planned') "
            "AND NOT EXISTS (SELECT FROM run WHERE due_at < now() + interval '1 day' "
            "                                   OR message_id IS NOT NULL) "
            "AND (SELECT last_id FROM log_tick ORDER BY tick DESC LIMIT 1) >= "
            "    (SELECT max(id) FROM event) "
            "AND (SELECT min(tick) FROM log_position WHERE reader = 'automation') = "
            "    (SELECT max(tick) FROM log_tick) AS rest")[0]
        .boolean("rest");
  };
  int times = 0;
  for (const auto until = Steady::now() + patience; times < 3 && Steady::now() < until;) {
    times = is_at_rest() ? times + 1 : 0;
    std::this_thread::sleep_for(100ms);
  }
  return times == 3;
}

}  // namespace shopbell::proofs

// The tables must say what the model says.
#include <algorithm>
#include <format>

#include "automation/rows.h"
#include "simulator/model.h"

namespace shopbell::simulator {

using automation::StoredEnrolment;
using automation::StoredRun;
using engine::Run;

namespace {

std::string shown(const std::optional<Instant>& at) { return at ? to_rfc3339_exactly(*at) : "–"; }

std::string shown(const std::optional<Uuid>& id) { return id ? id->to_string() : "–"; }

// Everything of a run that its row holds, as text, except what the person has passed: the numbers
// of people show that.
std::string text_of(const Run& run) {
  return std::format(
      "{} workflow {} version {} key '{}' {} at {} since {} due {} visit {} message {} delivery {} "
      "sent {} converted {} started {} data {} why '{}'",
      run.id.to_string(), run.workflow.to_string().substr(24), run.version, run.key,
      engine::name_of(run.state), run.node, shown(run.node_since), shown(run.due_at), run.visits,
      shown(run.message), shown(run.delivery), run.has_sent, run.converted, shown(run.started_at),
      automation::data_to_json(run).value_or("–"), run.why);
}

std::string text_of_held(const Uuid& workflow, bool holds) {
  return std::format("the condition of the schedule of {} {}", workflow.to_string().substr(24),
                     holds ? "holds" : "does not hold");
}

std::string text_of(const engine::Enrolment& one) {
  if (one.key == automation::kHeldKey) return text_of_held(one.workflow, !one.ended_at);
  return std::format("{} '{}' run {} started {} ended {}", one.workflow.to_string().substr(24),
                     one.key, one.run.to_string(), shown(one.started_at), shown(one.ended_at));
}

// The first text that only one side has.
std::string difference_of(const std::multiset<std::string>& stored,
                          const std::multiset<std::string>& expected) {
  for (const auto& text : expected)
    if (stored.count(text) < expected.count(text)) return "\n  missing: " + text;
  return "";
}

void require_same(const std::multiset<std::string>& stored,
                  const std::multiset<std::string>& expected, std::string_view what,
                  const ContactKey& owner) {
  if (stored == expected) return;
  const std::string more = difference_of(expected, stored);
  throw Violation{std::format("{} differ from the model{}{}", what, difference_of(stored, expected),
                              more.empty() ? "" : "\n  stored:" + more.substr(10)),
                  owner.contact};
}

}  // namespace

void Model::compare(const ContactKey& owner, const Person& person) const {
  std::multiset<std::string> stored;
  std::multiset<std::string> expected;
  if (const auto rows = world_.tables.runs.find(owner); rows != world_.tables.runs.end())
    for (const auto& [id, row] : rows->second) stored.insert(text_of(row.run));
  for (const auto& run : person.runs) {
    StoredRun row;
    row.run = run;
    expected.insert(text_of(as_stored(std::move(row)).run));
  }
  require_same(stored, expected, "the runs of a contact", owner);
  stored.clear();
  expected.clear();
  const auto all = world_.tables.enrolments.find(owner);
  if (all != world_.tables.enrolments.end())
    for (const auto& row : all->second) stored.insert(text_of(row.enrolment));
  for (const auto& one : person.enrolments) expected.insert(text_of(one));
  for (const auto& [workflow, holds] : person.held) expected.insert(text_of_held(workflow, holds));
  require_same(stored, expected, "the enrolments of a contact", owner);
}

void Model::compare_counts() const {
  const auto count_in = [](const auto& counts, const automation::Counter& counter) {
    const auto found = counts.find(counter);
    return found == counts.end() ? 0 : found->second;
  };
  for (const auto* counts : {&counts_, &std::as_const(world_.tables.counts)})
    for (const auto& [counter, people] : *counts) {
      const auto expected = count_in(counts_, counter);
      const auto stored = count_in(world_.tables.counts, counter);
      if (stored == expected) continue;
      const auto& [account, workflow, node, name] = counter;
      throw Violation{
          std::format("{} people are counted at {}.{}, not {}", stored, node, name, expected), {}};
    }
}

// The events that the transaction appended.
void Model::compare_told(const Journal& journal, const Told& told) {
  std::multiset<std::string> stored;
  std::multiset<std::string> expected;
  for (const auto& [kind, contact] : told) expected.insert(kind + " " + contact.to_string());
  for (const auto& one : journal.writes.events)
    stored.insert(one.kind + " " + one.contact.value_or(Uuid{}).to_string());
  if (stored != expected)
    throw Violation{std::format("the appended events differ from the model{}",
                                difference_of(stored, expected) + difference_of(expected, stored)),
                    told.empty() ? std::optional<Uuid>{} : told.begin()->second};
}

}  // namespace shopbell::simulator

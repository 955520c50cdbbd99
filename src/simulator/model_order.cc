// Which inputs are allowed now, and the rules that hold whatever a workflow does.
#include <algorithm>
#include <format>

#include "simulator/model.h"

namespace shopbell::simulator {

using automation::StoredRun;

// Every event once, and those of a contact in the order of the log.
void Model::check_order(const Entry& entry) {
  if (!entry.contact_id) return;
  auto& read = people_[{entry.account, *entry.contact_id}].read;
  if (!read.insert(entry.id).second)
    throw Violation{std::format("event {} was processed twice", entry.id), entry.contact_id};
  const std::int64_t shown = world_.event(entry.id).shown;
  for (const auto id : world_.events_of(*entry.contact_id)) {
    if (id >= entry.id) break;
    const LogEvent& earlier = world_.event(id);
    if (earlier.shown != 0 && earlier.shown <= shown && !read.contains(id))
      throw Violation{std::format("event {} was processed before {}", entry.id, id),
                      entry.contact_id};
  }
}

// A history has exactly the events that the contact's lanes have processed, up to this input, and
// those of contacts merged into it that they can see.
void Model::check_history(const Journal& journal, const automation::HistoryQuestion& question,
                          const std::set<std::int64_t>& events) const {
  const auto& [owner, kind, since, before] = question;
  std::set<std::int64_t> expected;
  const auto add = [&](const Uuid& contact, auto is_past) {
    for (const auto id : world_.events_of(contact)) {
      const LogEvent& one = world_.event(id);
      if (one.entry.kind == kind && one.entry.payload && one.entry.received_at >= since &&
          is_past(one, id))
        expected.insert(id);
    }
  };
  const auto person = people_.find(owner);
  add(owner.contact, [&](const LogEvent&, std::int64_t id) {
    return (person != people_.end() && person->second.read.contains(id)) ||
           (id <= before.id && std::ranges::contains(journal.entries, id, &Entry::id));
  });
  for (const auto& source : world_.merged_into(owner.contact))
    add(source, [&](const LogEvent& one, std::int64_t id) {
      const std::int64_t tick = before.through && id <= before.id ? *before.through : before.tick;
      return one.shown != 0 && one.shown <= tick;
    });
  if (events != expected)
    throw Violation{std::format("a history of {} has {} events, and {} were processed", kind,
                                events.size(), expected.size()),
                    owner.contact};
}

// Never early, and only after every event that was acknowledged before the due time.
void Model::check_gate(const event_log::Timer& timer, const Journal& journal) const {
  if (!journal.fired.contains({timer.owner, timer.due_at})) return;
  if (timer.due_at > world_.clock_most())
    throw Violation{"a timer fired before its time", timer.contact};
  const auto person = people_.find({timer.account, timer.contact});
  for (const auto id : world_.events_of(timer.contact)) {
    const LogEvent& one = world_.event(id);
    if (one.is_committed && one.clock_most < timer.due_at &&
        (person == people_.end() || !person->second.read.contains(id)))
      throw Violation{std::format("a timer overtook event {}, acknowledged before it was due", id),
                      timer.contact};
  }
}

// Versions, and messages by the visits of nodes.
void Model::check_run_rules(const ContactKey& owner) const {
  const auto rows = world_.tables.runs.find(owner);
  if (rows == world_.tables.runs.end()) return;
  for (const auto& [id, row] : rows->second) {
    if (row.run.message && row.run.state == engine::RunState::open &&
        !world_.tables.messages.contains(*row.run.message))
      throw Violation{"a run waits for a message that does not exist", owner.contact};
  }
  check_single_runs(owner);
}

// At most one open run per enrolment, and per contact where the workflow says so.
void Model::check_single_runs(const ContactKey& owner) const {
  std::map<std::pair<Uuid, std::string>, int> open;
  std::map<Uuid, int> of_contact;
  for (const auto& [id, row] : world_.tables.runs.at(owner)) {
    if (!row.run.is_open()) continue;
    const auto& workflow = world_.tables.workflows.at(row.run.workflow);
    using Mode = engine::Reentry::Mode;
    const Mode mode = workflow.versions.at(row.run.version).compiled->reentry.mode;
    const bool is_single = mode == Mode::once || mode == Mode::after_exit;
    if (++open[{row.run.workflow, row.enrolment_key}] > 1 ||
        (++of_contact[row.run.workflow] > 1 && is_single))
      throw Violation{"a contact has two open runs where one is allowed", owner.contact};
  }
  std::set<std::pair<Uuid, std::string>> keys;
  if (const auto all = world_.tables.enrolments.find(owner); all != world_.tables.enrolments.end())
    for (const auto& one : all->second)
      if (!keys.emplace(one.enrolment.workflow, one.enrolment.key).second)
        throw Violation{"a contact has the same enrolment twice", owner.contact};
}

// A message is planned once, and ends once.
void Model::check_messages() const {
  const Uuid* before = nullptr;
  for (const auto& [id, message] : world_.tables.messages) {
    if (before != nullptr && *before == id)
      throw Violation{"a message was planned twice", message.owner.contact};
    if (message.ends > 1) throw Violation{"a message ended twice", message.owner.contact};
    before = &id;
  }
}

void Model::check_coupons() const {
  std::set<Uuid> claims;
  for (const auto& [set, codes] : world_.tables.codes)
    for (const auto& code : codes)
      if (code.claim && !claims.insert(*code.claim).second)
        throw Violation{"a claim has two codes", {}};
}

// The tick of the contact's events of that time in this transaction. 0: there is none, because a
// timer fired or the wait began in an earlier transaction.
std::int64_t Model::cause_of(const Journal& journal, const Uuid& contact, Instant at) const {
  std::int64_t cause = 0;
  for (const auto* entry : journal.work.entries)
    if (entry->received_at == at && entry->contact_id.value_or(contact) == contact)
      cause = std::max(cause, world_.event(entry->id).shown);
  return cause;
}

// An event of a product wakes all runs that began to wait before it: none of them is stored later.
// An event whose transaction was open meanwhile may come before the product's or after it: the log
// decides.
void Model::check_product_waits(const Journal& journal) const {
  for (const auto& wait : journal.writes.waits)
    for (const auto& woken : world_.woken)
      if (woken.subject == wait.subject && wait.since <= woken.at &&
          cause_of(journal, wait.owner.contact, wait.since) <= woken.shown)
        throw Violation{"a run waits for a product that was back in stock before",
                        wait.owner.contact};
}

void Model::check_end() const {
  const Tables& tables = world_.tables;
  for (const auto& one : tables.events)
    if (const auto contact = one.entry.contact_id; contact) {
      const auto person = people_.find({one.entry.account, *contact});
      if (person == people_.end() || !person->second.read.contains(one.entry.id))
        throw Violation{std::format("event {} was never processed", one.entry.id), contact};
    }
  const Instant now = tables.ticks.back();
  for (const auto& [owner, rows] : tables.runs)
    for (const auto& [id, row] : rows) {
      const bool waits =
          row.run.state == engine::RunState::open || row.run.state == engine::RunState::done;
      if (waits && row.run.due_at && *row.run.due_at <= now)
        throw Violation{"a run is past its due time, and nothing will move it", owner.contact};
      if (row.run.state == engine::RunState::held)
        throw Violation{"a run is held, although no workflow is paused", owner.contact};
      if (!row.run.message) continue;
      const auto message = tables.messages.find(*row.run.message);
      if (message == tables.messages.end() || message->second.ends > 0)
        throw Violation{"a run waits for a message that has ended", owner.contact};
    }
  for (const auto& [id, message] : tables.messages)
    if (message.ends != 1)
      throw Violation{std::format("a message ended {} times", message.ends), message.owner.contact};
}

}  // namespace shopbell::simulator

#include "simulator/memory_store.h"

#include <algorithm>
#include <ranges>

#include "automation/inputs.h"
#include "json/writer.h"

namespace shopbell::simulator {

using automation::Answers;
using automation::Loaded;
using automation::Questions;
using automation::StoredEnrolment;
using automation::StoredRun;
using automation::Wanted;
using automation::Writes;
using boost::asio::awaitable;

namespace {

// The newest enrolments first, as PostgreSQL returns them.
std::vector<StoredEnrolment> enrolments_of(const Tables& tables, const ContactKey& owner,
                                           const Uuid& workflow) {
  std::vector<StoredEnrolment> found;
  if (const auto all = tables.enrolments.find(owner); all != tables.enrolments.end())
    std::ranges::copy_if(all->second, std::back_inserter(found), [&](const StoredEnrolment& one) {
      return one.enrolment.workflow == workflow;
    });
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [](const StoredEnrolment& one) { return one.enrolment.started_at; });
  return found;
}

bool differs_from_row(const Rows& rows, const StoredRun& read) {
  const auto row = rows.find(read.run.id);
  return read.seq == 0 ? row != rows.end() : row == rows.end() || row->second.seq != read.seq;
}

}  // namespace

MemoryStore::MemoryStore(World& world, StoreSetting setting, event_log::Work work)
    : world_{world}, setting_{std::move(setting)} {
  journal_.work = std::move(work);
  for (const auto* entry : journal_.work.entries) journal_.entries.push_back(*entry);
  for (std::size_t i = 0; i < journal_.entries.size(); ++i)
    journal_.work.entries[i] = &journal_.entries[i];
}

MemoryStore::~MemoryStore() {
  for (const auto group : fenced_) --world_.tables.owners[group].locks;
  for (const auto& owner : locked_) world_.tables.contacts[owner].is_locked = false;
  for (const auto& [id, reason] : withdrawn_)
    if (const auto found = world_.tables.messages.find(id); found != world_.tables.messages.end())
      found->second.is_locked = false;
  for (const auto& [set, index] : claimed_) {
    Code& code = world_.tables.codes[set][index];
    code.is_locked = false;
    code.claim.reset();
  }
}

// Nobody takes the lanes over until the transaction ends.
void MemoryStore::fence() {
  if (setting_.removed == Mechanism::fence) return;
  for (const auto& one : setting_.held) {
    Owner& owner = world_.tables.owners[one.group];
    if (owner.process != setting_.process || owner.generation != one.generation)
      throw Refused{"the lanes have another owner"};
    if (world_.tables.positions[one.group] != one.saved)
      throw Refused{"the lanes have another position"};
    if (fenced_.insert(one.group).second) ++owner.locks;
  }
}

awaitable<Loaded> MemoryStore::load(Wanted wanted) {
  setting_.before("load");
  fence();
  Loaded loaded;
  if (wanted.contacts.empty()) co_return loaded;
  const Tables& tables = world_.tables;
  for (const auto& owner : wanted.contacts) {
    if (const auto found = tables.contacts.find(owner); found != tables.contacts.end()) {
      const Contact& contact = found->second;
      changes_[owner] = contact.changes;
      if (contact.exists) {
        engine::Data data{contact.json};
        journal_.contacts[owner] = data;
        loaded.contacts[owner] = [data](const automation::AccountWorkflows&) { return data; };
      } else if (contact.merged_into) {
        journal_.merged[owner] = loaded.merged[owner] = *contact.merged_into;
      }
    }
    if (const auto rows = tables.runs.find(owner); rows != tables.runs.end())
      for (const auto& [id, row] : rows->second) loaded.runs.push_back(row);
  }
  if (setting_.removed == Mechanism::version_pin)
    for (auto& row : loaded.runs)
      row.run.version = tables.workflows.at(row.run.workflow).active_version;
  if (!setting_.faults.misses_enrolments)
    for (const auto& [owner, workflow] : wanted.enrolments)
      std::ranges::move(enrolments_of(tables, owner, workflow),
                        std::back_inserter(loaded.enrolments));
  loaded.accounts[kAccount] = {.interest = world_.interest, .fields = 1, .store = 1};
  journal_.interest = world_.interest;
  co_return loaded;
}

bool MemoryStore::precedes(const LogEvent& one, const automation::Before& before) const {
  if (setting_.removed == Mechanism::look_back_bound) return one.is_committed;
  const auto shows = [&](std::int64_t tick) { return one.shown != 0 && one.shown <= tick; };
  return shows(before.tick) ||
         (before.through && one.entry.id <= before.id && shows(*before.through));
}

engine::History MemoryStore::history_of(const automation::HistoryQuestion& question) {
  const auto& [owner, kind, since, before] = question;
  std::vector<const Entry*> found;
  std::set<std::int64_t> ids;
  const auto add = [&](const Uuid& contact) {
    for (const auto id : world_.events_of(contact)) {
      const LogEvent& one = world_.event(id);
      if (one.entry.kind != kind || !one.entry.payload || one.entry.received_at < since ||
          !precedes(one, before))
        continue;
      found.push_back(&one.entry);
      ids.insert(id);
    }
  };
  add(owner.contact);
  for (const auto& source : world_.merged_into(owner.contact)) add(source);
  std::ranges::sort(found, {},
                    [](const Entry* entry) { return std::pair{entry->received_at, entry->id}; });
  engine::History history{.since = since, .events = {}};
  for (const auto* entry : found)
    history.events.push_back(automation::engine_event_of(*entry).envelope);
  if (setting_.looked_back) setting_.looked_back(journal_, question, ids);
  auto& noted = journal_.histories[{owner, kind, before.id}];
  if (noted.since == Instant{} || since < noted.since) noted = history;
  return history;
}

engine::CouponAnswer MemoryStore::claim(const automation::CouponQuestion& question) {
  const auto& need = question.need;
  auto& codes = world_.tables.codes[need.coupon_set];
  engine::CouponAnswer answer{.code = {}, .expires_at = need.expires_at};
  const auto own = std::ranges::find(codes, std::optional{need.claim}, &Code::claim);
  const auto free =
      std::ranges::find_if(codes, [](const Code& code) { return !code.claim && !code.is_locked; });
  if (own != codes.end()) {
    answer.code = own->code;
  } else if (free != codes.end()) {
    free->claim = need.claim;
    free->is_locked = true;
    claimed_.emplace_back(need.coupon_set, free - codes.begin());
    answer.code = free->code;
  }
  return journal_.coupons[need.claim] = answer;
}

bool MemoryStore::withdraw(const automation::WithdrawQuestion& question) {
  const auto found = world_.tables.messages.find(question.need.message);
  const bool is_free = found != world_.tables.messages.end() && found->second.state == "planned" &&
                       !found->second.is_locked;
  if (is_free) {
    found->second.is_locked = true;
    withdrawn_.emplace_back(question.need.message, question.need.reason);
  }
  return journal_.withdrawn[question.need.message] = is_free;
}

engine::Data MemoryStore::trigger_of(const automation::EventKey& key) {
  const Entry& entry = world_.event(key.id).entry;
  const bool is_there = entry.payload && entry.received_at == key.received_at;
  if (is_there) return automation::engine_event_of(entry).envelope;
  if (entry.contact_id) journal_.emptied.insert({entry.account, *entry.contact_id});
  return {};
}

awaitable<Answers> MemoryStore::look_up(Questions questions) {
  setting_.before("look up");
  Answers answers;
  for (const auto& question : questions.histories)
    answers.histories.push_back(history_of(question));
  answers.objects.resize(questions.objects.size());
  for (const auto& question : questions.coupons) answers.coupons.push_back(claim(question));
  for (const auto& question : questions.withdrawals)
    answers.withdrawn.push_back(withdraw(question));
  for (const auto& [account, key] : questions.triggers) answers.triggers.push_back(trigger_of(key));
  if (!setting_.faults.misses_enrolments)
    for (const auto& [owner, workflow] : questions.enrolments)
      std::ranges::move(enrolments_of(world_.tables, owner, workflow),
                        std::back_inserter(answers.enrolments));
  co_return answers;
}

awaitable<std::vector<ContactKey>> MemoryStore::lock(std::set<ContactKey> contacts) {
  setting_.before("lock");
  std::vector<ContactKey> missing;
  for (const auto& owner : contacts) {
    Contact& contact = world_.tables.contacts[owner];
    if (contact.exists && (!contact.is_locked || locked_.contains(owner))) {
      contact.is_locked = true;
      locked_.insert(owner);
    } else {
      missing.push_back(owner);
    }
  }
  co_return missing;
}

awaitable<void> MemoryStore::write(Writes writes) {
  setting_.before("write");
  journal_.writes = std::move(writes);
  if (setting_.faults.repeats_messages) {
    auto& messages = journal_.writes.messages;
    const auto once = messages;
    messages.insert(messages.end(), once.begin(), once.end());
  }
  co_return;
}

// True if another transaction has changed runs that this one writes.
bool MemoryStore::has_stale_runs() const {
  const auto is_stale = [&](const StoredRun& row) {
    static const Rows none;
    const auto found = world_.tables.runs.find(row.owner);
    return differs_from_row(found == world_.tables.runs.end() ? none : found->second, row);
  };
  return std::ranges::any_of(journal_.writes.moved, is_stale) ||
         std::ranges::any_of(journal_.writes.ended, [&](const automation::EndedRun& ended) {
           return ended.run.seq > 0 && is_stale(ended.run);
         });
}

// True if an enrolment is not as the transaction has read it.
bool MemoryStore::has_lost_enrolments() const {
  return std::ranges::any_of(journal_.writes.enrolled, [&](const automation::NewEnrolment& one) {
    const auto& [row, replaces] = one;
    const auto all = enrolments_of(world_.tables, row.owner, row.enrolment.workflow);
    const auto same = std::ranges::find(
        all, row.enrolment.key, [](const StoredEnrolment& other) { return other.enrolment.key; });
    return replaces ? same == all.end() || same->enrolment.run != *replaces : same != all.end();
  });
}

// Raises if another transaction has changed what this one has read.
void MemoryStore::require_unchanged(const Position& to) const {
  const Writes& writes = journal_.writes;
  const Tables& tables = world_.tables;
  const bool is_started_twice = std::ranges::any_of(writes.started, [&](const StoredRun& row) {
    const auto found = tables.runs.find(row.owner);
    return found != tables.runs.end() && found->second.contains(row.run.id);
  });
  if (is_started_twice) throw Refused{"the run exists"};
  if (setting_.removed != Mechanism::run_number) {
    if (has_stale_runs()) throw Refused{"a run has changed meanwhile"};
  } else if (!has_stale_runs()) {
    // Batches overlap in this mode. Only what the number of the run would notice may slip through.
    for (const auto& [owner, changes] : changes_)
      if (tables.contacts.at(owner).changes != changes) throw Refused{"batches overlap"};
  }
  for (const auto& one : setting_.held)
    if (setting_.removed == Mechanism::run_number && tables.positions.at(one.group) != one.saved &&
        to != one.saved)
      throw Refused{"batches overlap"};
  if (has_lost_enrolments()) {
    if (setting_.removed != Mechanism::enrolment_constraint)
      throw Refused{"an enrolment has changed meanwhile"};
  } else if (setting_.faults.misses_enrolments) {
    throw Refused{"enrolments were not read"};  // only what the constraint notices may slip through
  }
  std::set<Uuid> planned;
  for (const auto& one : writes.messages)
    if (setting_.removed != Mechanism::message_id &&
        (!planned.insert(one.message.id).second || tables.messages.contains(one.message.id)))
      throw Refused{"the message exists"};
}

const Journal& MemoryStore::commit(const Position& to) {
  setting_.before("commit");
  require_unchanged(to);
  for (const auto& timer : journal_.work.timers) {
    const auto rows = world_.tables.runs.find({timer.account, timer.contact});
    if (rows == world_.tables.runs.end()) continue;
    const auto row = rows->second.find(timer.owner);
    if (row != rows->second.end() && row->second.timer_at == timer.due_at)
      journal_.fired.emplace(timer.owner, timer.due_at);
  }
  for (const auto& [id, reason] : withdrawn_) {
    Message& message = world_.tables.messages.find(id)->second;
    message.state = "skipped";
    message.reason = reason;
    ++message.ends;
    Entry told = world_.event_of(
        message.owner, "message.skipped",
        json::Writer{}.begin_object().key("messageId").text(id.to_string()).end().finish());
    told.hops = message.hops;
    world_.commit_event(world_.add_event(std::move(told)));
  }
  for (const auto& [set, index] : claimed_) world_.tables.codes[set][index].is_locked = false;
  claimed_.clear();
  apply(journal_.writes, world_);
  for (const auto& one : setting_.held)
    if (to != one.saved) world_.tables.positions[one.group] = to;
  return journal_;
}

}  // namespace shopbell::simulator

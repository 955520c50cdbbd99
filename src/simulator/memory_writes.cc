// What a committed transaction changes in the tables.
#include <algorithm>

#include "automation/inputs.h"
#include "automation/rows.h"
#include "engine/merge_patch.h"
#include "json/writer.h"
#include "simulator/memory_store.h"

namespace shopbell::simulator {

using automation::StoredEnrolment;
using automation::StoredRun;
using automation::Writes;

namespace {

void append(World& world, Entry entry) { world.commit_event(world.add_event(std::move(entry))); }

void write_runs(const Writes& writes, Tables& tables) {
  std::set<ContactKey> changed;
  for (const auto* rows : {&writes.moved, &writes.started})
    for (const auto& row : *rows) changed.insert(row.owner);
  for (const auto& ended : writes.ended) changed.insert(ended.run.owner);
  for (const auto& owner : changed) ++tables.contacts[owner].changes;
  for (const auto* rows : {&writes.moved, &writes.started})
    for (const auto& row : *rows) {
      StoredRun stored = as_stored(row);
      ++stored.seq;
      tables.runs[row.owner].insert_or_assign(row.run.id, std::move(stored));
    }
  for (const auto& ended : writes.ended) {
    tables.runs[ended.run.owner].erase(ended.run.run.id);
    tables.history[ended.run.owner].push_back(ended);
  }
}

void write_enrolments(const Writes& writes, Tables& tables) {
  for (const auto& [row, replaces] : writes.enrolled) {
    auto& all = tables.enrolments[row.owner];
    if (replaces)
      std::erase_if(all, [&](const StoredEnrolment& one) {
        return one.enrolment.workflow == row.enrolment.workflow &&
               one.enrolment.key == row.enrolment.key && one.enrolment.run == *replaces;
      });
    all.push_back(row);
  }
  for (const auto& left : writes.left)
    for (auto& one : tables.enrolments[left.owner])
      if (one.enrolment.workflow == left.workflow && one.enrolment.key == left.key &&
          one.enrolment.run == left.run) {
        if (!one.enrolment.ended_at) one.enrolment.ended_at = left.at;
        one.enrolment.seen = left.seen;
      }
}

void write_waits(const Writes& writes, Tables& tables) {
  for (const auto& timer : writes.timers)
    tables.timers.try_emplace({timer.group, timer.due_at, timer.run}, timer.owner);
  for (const auto& wait : writes.waits_over)
    tables.waits.erase({wait.subject, wait.since, wait.run});
  for (const auto& wait : writes.waits) tables.waits.emplace(wait.subject, wait.since, wait.run);
}

void write_messages(const Writes& writes, World& world) {
  for (const auto& one : writes.messages) {
    world.tables.messages.emplace(one.message.id,
                                  Message{.id = one.message.id,
                                          .owner = one.owner,
                                          .workflow = one.workflow,
                                          .run = one.message.run,
                                          .node = one.message.node,
                                          .template_name = one.message.template_name,
                                          .hops = one.message.hops,
                                          .reason = {}});
    json::Writer writer;
    writer.begin_object().key("messageId").text(one.message.id.to_string());
    Entry told = world.event_of(one.owner, "message.planned", writer.end().finish());
    told.hops = one.message.hops;
    append(world, std::move(told));
  }
}

void release_coupons(const Writes& writes, Tables& tables) {
  for (const auto& [account, claim] : writes.coupons_released)
    for (auto& [set, codes] : tables.codes)
      for (auto& code : codes)
        if (code.claim == claim) code.claim.reset();
}

void forget(const ContactKey& owner, World& world) {
  Tables& tables = world.tables;
  for (const auto id : world.events_of(owner.contact))
    if (Entry& entry = world.event(id).entry;
        entry.kind == automation::kForward || entry.kind == automation::kAdopt)
      entry.payload.reset();
  for (auto& [id, message] : tables.messages) {
    if (message.owner != owner) continue;
    if (message.state == "planned") {
      message.state = "skipped";
      message.reason = "erased";
      ++message.ends;
    }
    message.owner.contact = {};
  }
  std::erase_if(tables.waits, [&](const auto& wait) {
    return tables.runs[owner].contains(std::get<Uuid>(wait));
  });
  tables.runs.erase(owner);
  tables.enrolments.erase(owner);
  tables.history.erase(owner);
}

void move_merged(const Writes& writes, Tables& tables) {
  for (const auto& [owner, into] : writes.merged) {
    for (auto& [id, message] : tables.messages)
      if (message.owner == owner) message.owner.contact = into;
    auto past = std::move(tables.history[owner]);
    tables.history.erase(owner);
    for (auto& one : past) tables.history[{owner.account, into}].push_back(std::move(one));
    tables.enrolments.erase(owner);
  }
}

void append_events(const Writes& writes, World& world) {
  for (const auto& one : writes.events) {
    if (!one.contact) continue;
    Entry entry = world.event_of({one.account, *one.contact}, one.kind, one.payload);
    entry.occurred_at = one.occurred_at;
    entry.trigger = one.trigger;
    entry.hops = one.hops;
    append(world, std::move(entry));
  }
  for (const auto& one : writes.webhooks)
    world.tables.deliveries.insert_or_assign(one.webhook.id, one.owner);
}

void change_contacts(const Writes& writes, World& world) {
  for (const auto& change : writes.changes) {
    Contact& contact = world.tables.contacts[change.owner];
    const engine::Data before{contact.json};
    const engine::Data patch{change.patch};
    contact.json = engine::merged(*before.root(), *patch.root());
    Entry entry = world.event_of(change.owner, "contact.updated", R"({"changed":["fields"]})");
    entry.hops = change.hops;
    append(world, std::move(entry));
  }
}

}  // namespace

StoredRun as_stored(StoredRun row) {
  engine::Run& run = row.run;
  const auto data = automation::data_to_json(run);
  run.item = {};
  run.variables.clear();
  run.subjects.clear();
  run.coupons.clear();
  if (data) automation::read_data(*data, run);
  run.seen = automation::seen_from_text(automation::seen_to_text(run.seen));
  run.trigger = row.copied ? engine::Data{*row.copied} : engine::Data{};
  run.trail.clear();
  return row;
}

void apply(const Writes& writes, World& world) {
  Tables& tables = world.tables;
  write_runs(writes, tables);
  write_enrolments(writes, tables);
  write_waits(writes, tables);
  write_messages(writes, world);
  release_coupons(writes, tables);
  for (const auto& owner : writes.erased) forget(owner, world);
  move_merged(writes, tables);
  append_events(writes, world);
  change_contacts(writes, world);
  for (const auto& [counter, delta] : writes.counts) {
    auto& sum = tables.counts[counter];
    sum += delta;
    if (sum == 0) tables.counts.erase(counter);
  }
}

}  // namespace shopbell::simulator

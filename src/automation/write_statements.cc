#include "automation/write_statements.h"

#include "automation/queries.h"
#include "automation/run_columns.h"
#include "base/random.h"
#include "events/event.h"
#include "events/event_kinds.h"
#include "pg/columns.h"
#include "resources/coupons/claim.h"
#include "resources/messages/message_store.h"
#include "resources/purchases/purchase_store.h"

namespace shopbell::automation {

namespace {

struct RunStatements {
  pg::FilledQuery insert{sql::insert_runs, run_row()};
  pg::FilledQuery update{sql::update_runs, run_row()};
};
const RunStatements& run_statements() {
  static const RunStatements statements;
  return statements;
}

pg::Columns columns_of(const std::vector<StoredRun>& runs) {
  pg::Columns columns;
  for (const auto& row : runs) {
    std::vector<pg::Parameter> values{pg::parameter(row.owner.account),
                                      pg::parameter(row.owner.contact), pg::parameter(row.run.id),
                                      pg::parameter(row.seq),
                                      pg::parameter(trail_to_text(row.run.trail))};
    run_row().add_to(values, row);
    columns.add_row(values);
  }
  return columns;
}

void add_runs(pg::Group& effect, const Writes& writes) {
  columns_of(writes.moved).add_to(effect, run_statements().update.query());
  pg::Columns ended;
  for (const auto& [row, at] : writes.ended) {
    const engine::Run& run = row.run;
    ended.add(row.owner.account, row.owner.contact, run.id, row.seq, trail_to_text(run.trail),
              run.workflow, run.version, run.node, run.key, run.started_at, at, run.converted,
              run.why);
  }
  ended.add_to(effect, sql::end_runs);
  columns_of(writes.started).add_to(effect, run_statements().insert.query());
}

void add_enrolments(pg::Group& effect, const Writes& writes) {
  pg::Columns enrolled;
  for (const auto& [row, replaces] : writes.enrolled) {
    const engine::Enrolment& one = row.enrolment;
    enrolled.add(row.owner.account, row.owner.contact, one.workflow, one.key, row.lane, one.run,
                 one.started_at, one.ended_at, seen_to_text(one.seen), replaces);
  }
  enrolled.add_to(effect, sql::insert_enrolments);
  pg::Columns left;
  for (const auto& one : writes.left)
    left.add(one.owner.account, one.owner.contact, one.workflow, one.key, one.run, one.at,
             seen_to_text(one.seen));
  left.add_to(effect, sql::end_enrolments);
}

void add_waits(pg::Group& effect, const Writes& writes) {
  pg::Columns timers;
  for (const auto& timer : writes.timers)
    timers.add(timer.group, timer.due_at, timer.run, timer.owner.account, timer.owner.contact);
  timers.add_to(effect, sql::insert_timers);
  pg::Columns over;
  for (const auto& wait : writes.waits_over)
    over.add(wait.owner.account, wait.subject, wait.since, wait.run);
  over.add_to(effect, sql::delete_waits);
  pg::Columns waits;
  for (const auto& wait : writes.waits)
    waits.add(wait.owner.account, wait.owner.contact, wait.lane, wait.subject, wait.since, wait.run,
              wait.per_unit);
  waits.add_to(effect, sql::insert_waits);
}

void add_messages(pg::Group& effect, const std::vector<Planned>& planned) {
  std::vector<messages::PlannedMessage> rows;
  rows.reserve(planned.size());
  for (const auto& one : planned)
    rows.push_back({.account = one.owner.account,
                    .id = one.message.id,
                    .contact = one.owner.contact,
                    .lane = one.lane,
                    .is_marketing = one.message.is_marketing,
                    .is_bulk = one.is_bulk,
                    .priority = one.priority,
                    .workflow = one.workflow,
                    .run = one.message.run,
                    .node = one.message.node,
                    .template_name = one.message.template_name,
                    .send_rules = one.send_rules,
                    .skips_at_cap = one.message.skips_at_cap,
                    .at = one.at,
                    .hops = static_cast<std::int16_t>(one.message.hops)});
  messages::plan(effect, rows);
}

void forget_messages(pg::Group& effect, const std::set<ContactKey>& erased) {
  std::vector<contacts::AccountContact> contacts;
  contacts.reserve(erased.size());
  for (const auto& owner : erased) contacts.emplace_back(owner.account, owner.contact);
  messages::forget_contacts(effect, contacts);
}

void move_merged(pg::Group& effect, const std::map<ContactKey, Uuid>& merged) {
  pg::Columns contacts;
  std::vector<messages::MergedContact> owners;
  for (const auto& [owner, into] : merged) {
    contacts.add(owner.account, owner.contact, into);
    owners.push_back({.account = owner.account,
                      .from = owner.contact,
                      .into = into,
                      .lane = events::lane_of(owner.account, into)});
  }
  contacts.add_to(effect, sql::move_merged);
  messages::move_to(effect, owners);
}

void forget(pg::Group& effect, const std::set<ContactKey>& owners, const pg::Query& query) {
  pg::Columns columns;
  for (const auto& owner : owners) columns.add(owner.account, owner.contact);
  columns.add_to(effect, query);
}

events::Trigger trigger_of(std::string_view name) {
  using enum events::Trigger;
  return name == "all" ? all : name == "exits" ? exits : none;
}

// Adds the events that webhook nodes send. The reader of the webhooks schedules the delivery, whose
// id is the uid.
void add_webhooks(std::vector<events::AccountEvent>& all, const std::vector<Sent>& webhooks) {
  const Instant now = system_clock().now();
  for (const auto& one : webhooks) {
    events::Event event{.uid = one.webhook.id,
                        .lane = one.lane,
                        .contact_id = one.owner.contact,
                        .subject = one.webhook.event_type,
                        .kind = std::string{events::kSendWebhook},
                        .occurred_at = now,
                        .trigger = events::Trigger::none,
                        .source = "workflow",
                        .payload = one.webhook.data};
    all.push_back({.account = one.owner.account, .event = std::move(event)});
  }
}

void add_events(pg::Group& effect, const Writes& writes) {
  std::vector<events::AccountEvent> all;
  all.reserve(writes.events.size() + writes.webhooks.size());
  for (const auto& one : writes.events) {
    events::Event event{.uid = Uuid::v7(one.occurred_at),
                        .lane = one.lane,
                        .contact_id = one.contact,
                        .kind = one.kind,
                        .occurred_at = one.occurred_at,
                        .trigger = trigger_of(one.trigger),
                        .hops = static_cast<std::int16_t>(one.hops),
                        .source = "workflow",
                        .payload = one.payload};
    all.push_back({.account = one.account, .event = std::move(event)});
  }
  add_webhooks(all, writes.webhooks);
  events::append(effect, all);
}

void add_purchases(pg::Group& effect, const Writes& writes) {
  std::vector<purchases::Attributable> rows;
  rows.reserve(writes.purchases.size());
  for (const auto& [key, converted] : writes.purchases)
    rows.push_back(
        {.account = key.first,
         .id = key.second,
         .converted_workflow =
             converted.transform([](const ConvertedRun& run) { return run.workflow; }),
         .converted_run = converted.transform([](const ConvertedRun& run) { return run.run; })});
  purchases::attribute(effect, rows);
}

}  // namespace

void add_statements(pg::Group& effect, const Writes& writes) {
  add_runs(effect, writes);
  add_enrolments(effect, writes);
  add_waits(effect, writes);
  add_messages(effect, writes.messages);
  coupons::add_releases(effect, writes.coupons_released);
  forget_messages(effect, writes.erased);
  move_merged(effect, writes.merged);
  forget(effect, writes.erased, sql::forget_erased);
  add_events(effect, writes);
  pg::Columns counts;
  for (const auto& [counter, delta] : writes.counts) {
    const auto& [account, workflow, node, name] = counter;
    if (delta != 0) counts.add(account, workflow, node, name, delta);
  }
  counts.add_to(effect, sql::insert_counts);
  add_purchases(effect,
                writes);  // last: it may wait for another lane, which then waits for nothing
}

}  // namespace shopbell::automation

#include "automation/schedule_walk.h"

#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "automation/inputs.h"
#include "automation/queries.h"
#include "base/limits.h"
#include "engine/schedule.h"
#include "events/event.h"
#include "json/writer.h"
#include "pg/columns.h"

namespace shopbell::automation {

namespace {

constexpr std::string_view kAllContacts = "*";
constexpr std::string_view kPlan = "+";
constexpr auto kPlanInterval = std::chrono::minutes{1};

// The times of a schedule follow the contacts' zone; without one, the store's.
engine::Zone clock_of(std::string_view zone, std::string_view store_zone) {
  return zone == kAllContacts ? engine::zone_of(store_zone, "UTC")
                              : engine::zone_of(zone, store_zone);
}

// Commands to start, each for contacts of one group of lanes.
std::vector<events::AccountEvent> commands_of(std::int64_t account, const Uuid& workflow,
                                              std::int64_t version, const std::string& date,
                                              bool is_baseline, Instant now,
                                              const std::vector<Uuid>& contacts) {
  std::map<int, std::vector<Uuid>> groups;
  for (const auto& contact : contacts)
    groups[events::lane_of(account, contact) >> 4].push_back(contact);
  std::vector<events::AccountEvent> commands;
  for (const auto& [group, some] : groups) {
    json::Writer writer;
    writer.begin_object().key("workflowId").text(workflow.to_string());
    writer.key("version").integer(version).key("date").text(date);
    writer.key("baseline").boolean(is_baseline).key("contacts").begin_list();
    for (const auto& contact : some) writer.text(contact.to_string());
    events::Event event{.uid = Uuid::v7(now),
                        .lane = static_cast<std::int16_t>(group << 4),
                        .kind = std::string{kScheduleStart},
                        .occurred_at = now,
                        .source = "workflow",
                        .payload = writer.end().end().finish()};
    commands.push_back({.account = account, .event = std::move(event)});
  }
  return commands;
}

void set_time(pg::Group& effect, std::int64_t account, const Uuid& workflow, std::int64_t version,
              std::string_view zone, std::optional<Instant> at) {
  pg::Columns times;
  times.add(std::string{zone}, at, false);
  times.add_to(effect, sql::set_schedule_times, account, workflow, version);
}

}  // namespace

ScheduleWalk::Due ScheduleWalk::due_of(const pg::Row& row) {
  Due due{.account = row.integer("account_id"),
          .workflow = row.uuid("workflow_id"),
          .zone = row.text("zone"),
          .version = row.integer("version"),
          .next_at = row.instant("next_at"),
          .is_baseline = row.boolean("baseline"),
          .walked_to = {},
          .now = row.instant("now"),
          .versions = {.interest = row.integer("interest"),
                       .fields = row.integer("fields"),
                       .store = row.integer("store")}};
  if (row.find("walked_to")) due.walked_to = row.uuid("walked_to");
  return due;
}

boost::asio::awaitable<bool> ScheduleWalk::step() {
  co_return co_await database_.transaction(
      {.deadline = pg::Steady::now() + limits::kLogTransaction},
      [&](pg::Transaction& transaction) { return take_next(transaction); });
}

boost::asio::awaitable<bool> ScheduleWalk::take_next(pg::Transaction& transaction) {
  const pg::Result found = co_await transaction.query(sql::take_due_schedule);
  if (found.empty()) co_return false;
  co_await take(transaction, due_of(found[0]));
  co_return true;
}

boost::asio::awaitable<void> ScheduleWalk::take(pg::Transaction& transaction, Due due) {
  const auto account = co_await definitions_.get(due.account, due.versions);
  const auto workflow = account->workflows.find(due.workflow);
  const bool is_active = workflow != account->workflows.end() &&
                         workflow->second.active_version == due.version &&
                         workflow->second.version(due.version).trigger.schedule.has_value();
  if (!is_active) {
    const bool is_over =
        workflow == account->workflows.end() || workflow->second.active_version == 0;
    pg::Group effect;
    if (is_over) {
      effect.add(sql::forget_schedule, due.account, due.workflow);
    } else {  // the row "+" plans the newer version
      set_time(effect, due.account, due.workflow, due.version, due.zone, std::nullopt);
    }
    co_await transaction.run(std::move(effect));
    co_return;
  }
  const engine::Schedule& schedule = *workflow->second.version(due.version).trigger.schedule;
  std::string store_zone{engine::text_at(account->store, "timeZone")};
  if (due.zone == kPlan) {
    co_await plan(transaction, due, schedule, std::move(store_zone));
  } else {
    co_await walk(transaction, due, schedule, std::move(store_zone));
  }
}

// Adds the zones that have no time yet, or one of an earlier version.
boost::asio::awaitable<void> ScheduleWalk::plan(pg::Transaction& transaction, const Due& due,
                                                const engine::Schedule& schedule,
                                                std::string store_zone) {
  std::set<std::string> zones{std::string{kAllContacts}};
  if (!schedule.in_store_zone) {
    const pg::Result found = co_await transaction.query(sql::list_contact_zones, due.account);
    zones = {""};
    for (std::size_t i = 0; i < found.size(); ++i) zones.insert(found[i].text("time_zone"));
  }
  const pg::Result planned =
      co_await transaction.query(sql::list_schedule_zones, due.account, due.workflow);
  for (std::size_t i = 0; i < planned.size(); ++i)
    if (planned[i].integer("version") == due.version) zones.erase(planned[i].text("zone"));
  // A schedule that waits for its condition to become true leaves out those for whom it is true
  // now.
  const bool notes_first = schedule.becomes_true && !schedule.include_existing;
  pg::Columns times;
  for (const auto& zone : zones)
    times.add(zone,
              notes_first ? std::optional{due.now}
                          : engine::next_time(schedule, clock_of(zone, store_zone), due.now),
              notes_first);
  pg::Group effect;
  times.add_to(effect, sql::set_schedule_times, due.account, due.workflow, due.version);
  set_time(effect, due.account, due.workflow, due.version, kPlan,
           due.now + std::chrono::microseconds{kPlanInterval});
  co_await transaction.run(std::move(effect));
}

boost::asio::awaitable<std::vector<Uuid>> ScheduleWalk::page(pg::Transaction& transaction,
                                                             const Due& due) {
  pg::Group reads;
  if (due.zone == kAllContacts) {
    reads.add(sql::page_contacts, due.account, due.walked_to, limits::kSchedulePage);
  } else if (due.zone.empty()) {
    reads.add(sql::page_contacts_without_zone, due.account, due.walked_to, limits::kSchedulePage);
  } else {
    reads.add(sql::page_contacts_of_zone, due.account, due.walked_to, limits::kSchedulePage,
              due.zone);
  }
  const pg::Results found = co_await transaction.run(std::move(reads));
  co_return found[0].map([](const pg::Row& row) { return row.uuid("contact_id"); });
}

boost::asio::awaitable<void> ScheduleWalk::walk(pg::Transaction& transaction, const Due& due,
                                                const engine::Schedule& schedule,
                                                std::string store_zone) {
  const std::vector<Uuid> contacts = co_await page(transaction, due);
  const engine::Zone clock = clock_of(due.zone, store_zone);
  const std::string date =
      to_rfc3339(std::chrono::sys_days{engine::local_date(clock, due.next_at)}).substr(0, 10);
  pg::Group effect;
  events::append(effect, commands_of(due.account, due.workflow, due.version, date, due.is_baseline,
                                     due.now, contacts));
  if (std::cmp_equal(contacts.size(), limits::kSchedulePage)) {
    effect.add(sql::continue_walk, due.account, due.workflow, due.zone, contacts.back());
  } else {
    // A process that was down skips the times that passed meanwhile.
    set_time(effect, due.account, due.workflow, due.version, due.zone,
             engine::next_time(schedule, clock, std::max(due.next_at, due.now)));
  }
  co_await transaction.run(std::move(effect));
}

}  // namespace shopbell::automation

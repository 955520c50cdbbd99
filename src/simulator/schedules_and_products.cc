// The walk over schedules, and the reader that wakes runs waiting for products. Both tell the lanes
// by events; this is the simulator's own, simpler form of them.
#include <algorithm>
#include <chrono>
#include <format>
#include <map>

#include "automation/inputs.h"
#include "events/event.h"
#include "json/document.h"
#include "json/writer.h"
#include "simulator/actors.h"

namespace shopbell::simulator {

void Actors::append_for_group(std::int16_t group, std::string_view kind, std::string payload) {
  Entry one = entry({kAccount, {}}, std::string{kind}, std::move(payload));
  one.contact_id.reset();
  one.lane = static_cast<std::int16_t>(group << 4);
  world_.commit_event(world_.add_event(std::move(one)));
}

// Starts some contacts. A date may come more than once, as after an edit of the workflow.
void Actors::start_on_schedule() {
  std::vector<Uuid> scheduled;
  for (const auto& [id, row] : world_.tables.workflows)
    if (row.versions.at(row.active_version).compiled->trigger.schedule) scheduled.push_back(id);
  if (scheduled.empty()) return;
  const Uuid& workflow = random_.pick(scheduled);
  std::map<std::int16_t, std::string> groups;
  for (const auto& owner : contacts_) {
    if (random_.one_in(3)) continue;
    std::string& list =
        groups[static_cast<std::int16_t>(events::lane_of(owner.account, owner.contact) >> 4)];
    list += std::format(R"({}"{}")", list.empty() ? "" : ",", owner.contact.to_string());
  }
  const std::string date = to_rfc3339(world_.now()).substr(0, 10);
  for (const auto& [group, list] : groups)
    append_for_group(
        group, automation::kScheduleStart,
        std::format(
            R"({{"workflowId":"{}","version":{},"date":"{}","baseline":{},"contacts":[{}]}})",
            workflow.to_string(), world_.tables.workflows[workflow].active_version, date,
            random_.one_in(6), list));
}

void Actors::restock_product() {
  Entry one = entry({kAccount, {}}, kProductEvent,
                    std::format(R"({{"productId":"c{}"}})", random_.between(1, 3)));
  one.contact_id.reset();
  product_events_.push_back(world_.add_event(std::move(one)));
  begin({.events = {product_events_.back()}, .locked = {}, .messages = {}, .effect = {}});
}

// A wait that began before the event is stored once all lanes have passed the event.
void Actors::wake_waiting() {
  std::int64_t passed = world_.newest_tick();
  for (const auto& [group, position] : world_.tables.positions)
    passed = std::min(passed, position.tick);
  std::erase_if(product_events_, [&](std::int64_t id) {
    const LogEvent& one = world_.event(id);
    if (one.shown == 0 || one.shown > passed) return false;
    wake(id);
    return true;
  });
}

void Actors::wake(std::int64_t product_event) {
  const Entry product = world_.event(product_event).entry;
  const auto payload = json::Document::parse(*product.payload);
  const std::string subject{payload->root().member("productId")->text()};
  world_.woken.push_back(
      {.subject = subject, .at = product.received_at, .shown = world_.event(product_event).shown});
  std::map<ContactKey, std::string> woken;
  for (const auto& [waits_for, since, run] : world_.tables.waits) {
    if (waits_for != subject || since > product.received_at) continue;
    for (const auto& [owner, rows] : world_.tables.runs)
      if (rows.contains(run))
        woken[owner] += std::format(R"({}"{}")", woken[owner].empty() ? "" : ",", run.to_string());
  }
  const std::string envelope{automation::engine_event_of(product).envelope.json()};
  for (const auto& [owner, runs] : woken)
    append(owner, std::string{automation::kWake},
           std::format(R"({{"event":{},"runIds":[{}]}})", envelope, runs));
}

}  // namespace shopbell::simulator

#include "simulator/world.h"

#include <algorithm>
#include <format>

#include "events/event.h"

namespace shopbell::simulator {

World::World(Instant start) : now_{start}, clock_most_{start} {
  tables.ticks.push_back(start);
  change_definitions();
}

void World::move_clock(std::chrono::microseconds by) {
  now_ += by;
  clock_most_ = std::max(clock_most_, now_);
}

Uuid World::new_id() {
  return Uuid::parse(std::format("019a8412-7c00-8abc-8def-{:012x}", ++ids_)).value();
}

std::int64_t World::add_event(Entry entry) {
  entry.id = std::ssize(tables.events) + 1;
  entry.uid = new_id();
  if (entry.contact_id) tables.events_of[*entry.contact_id].push_back(entry.id);
  unseen_.push_back(entry.id);
  tables.events.push_back({.entry = std::move(entry), .clock_most = {}});
  return std::ssize(tables.events);
}

void World::commit_event(std::int64_t id) {
  LogEvent& one = event(id);
  one.is_committed = true;
  one.clock_most = clock_most_;
}

Entry World::event_of(const ContactKey& owner, std::string kind, std::string payload) const {
  return {.account = owner.account,
          .lane = events::lane_of(owner.account, owner.contact),
          .contact_id = owner.contact,
          .contact_seq = {},
          .subject = {},
          .kind = std::move(kind),
          .occurred_at = now_,
          .received_at = now_,
          .trigger = "all",
          .payload = std::move(payload)};
}

void World::make_tick() {
  tables.ticks.push_back(now_);
  std::erase_if(unseen_, [&](std::int64_t id) {
    if (event(id).is_committed) event(id).shown = newest_tick();
    return event(id).is_committed;
  });
}

const std::vector<std::int64_t>& World::events_of(const Uuid& contact) const {
  static const std::vector<std::int64_t> none;
  const auto found = tables.events_of.find(contact);
  return found == tables.events_of.end() ? none : found->second;
}

engine::Workflows World::definitions() const {
  engine::Workflows all;
  for (const auto& [id, row] : tables.workflows) {
    engine::Workflow workflow{.id = id,
                              .active_version = row.active_version,
                              .paused = row.is_paused,
                              .active_since = row.activated_at,
                              .versions = {}};
    for (const auto& [version, published] : row.versions)
      workflow.versions[version] = published.compiled;
    all.emplace(id, std::move(workflow));
  }
  return all;
}

void World::change_definitions() { past_definitions_[++interest] = definitions(); }

Uuid World::survivor_of(Uuid contact) const {
  while (true) {
    const auto found = tables.contacts.find({kAccount, contact});
    if (found == tables.contacts.end() || !found->second.merged_into) return contact;
    contact = *found->second.merged_into;
  }
}

std::vector<Uuid> World::merged_into(const Uuid& contact) const {
  std::vector<Uuid> merged;
  for (const auto& [owner, one] : tables.contacts)
    if (one.merged_into && survivor_of(owner.contact) == contact) merged.push_back(owner.contact);
  return merged;
}

}  // namespace shopbell::simulator

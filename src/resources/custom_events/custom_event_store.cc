#include "resources/custom_events/custom_event_store.h"

#include <algorithm>

#include "base/limits.h"
#include "resources/custom_events/queries.h"

namespace shopbell::custom_events {

namespace {

constexpr std::size_t kEventColumns = 11;
using EventColumns = std::array<pg::Parameter, kEventColumns>;

EventColumns columns_of(const CustomEvent& event) {
  const contacts::Keys& keys = event.names.keys;
  const bool email = !keys.emails.empty();
  const bool external_id = !keys.external_ids.empty();
  const auto hash = [&](std::size_t index) { return pg::parameter(event.names.hashes[index]); };
  return {pg::parameter(event.uid),
          event.kind,
          event.key_hash,
          event.content_hash,
          email ? pg::parameter(keys.emails[0]) : std::nullopt,
          external_id ? pg::parameter(keys.external_ids[0]) : std::nullopt,
          email ? hash(0) : std::nullopt,
          external_id ? hash(email ? 1 : 0) : std::nullopt,
          pg::parameter(event.occurred_at),
          pg::parameter(events::name_of(event.trigger)),
          event.payload};
}

pg::Group statement_of(std::int64_t account, std::int64_t types_version,
                       std::span<const CustomEvent* const> events) {
  std::array<std::vector<pg::Parameter>, kEventColumns> columns;
  for (const CustomEvent* event : events) {
    EventColumns values = columns_of(*event);
    for (std::size_t i = 0; i < kEventColumns; ++i) columns[i].push_back(std::move(values[i]));
  }
  std::vector<pg::Parameter> parameters{pg::parameter(account), pg::parameter(types_version)};
  for (const auto& column : columns) parameters.push_back(pg::parameter(column));
  pg::Group group;
  group.add_prepared(sql::take_events, std::move(parameters));
  return group;
}

void take_queued(pg::Group& group, std::span<const ValidatedEvent> events) {
  std::array<std::vector<pg::Parameter>, kEventColumns + 2> columns;
  for (const auto& one : events) {
    columns[0].push_back(pg::parameter(one.account));
    columns[1].push_back(pg::parameter(one.types_version));
    EventColumns values = columns_of(*one.event);
    for (std::size_t i = 0; i < kEventColumns; ++i) columns[i + 2].push_back(std::move(values[i]));
  }
  std::vector<pg::Parameter> parameters;
  parameters.reserve(columns.size());
  for (const auto& column : columns) parameters.push_back(pg::parameter(column));
  group.add_prepared(sql::take_queued_events, std::move(parameters));
}

Outcome outcome_of(std::string_view name) {
  if (name == "taken") return Outcome::taken;
  if (name == "claimed") return Outcome::claimed;
  if (name == "person") return Outcome::person;
  return Outcome::types;
}

std::vector<Taken> taken_of(const pg::Result& found, std::size_t events) {
  std::vector<Taken> taken(events);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pg::Row row = found[i];
    Taken& one = taken[static_cast<std::size_t>(row.integer("ordinal") - 1)];
    one.outcome = outcome_of(row.view("outcome"));
    if (row.find("contact_id")) one.contact_id = row.uuid("contact_id");
    one.received_at = row.instant("received_at");
  }
  return taken;
}

}  // namespace

boost::asio::awaitable<std::vector<Outcome>> take_queued_events(
    pg::Transaction& transaction, std::span<const ValidatedEvent> events) {
  pg::Group group;
  for (std::size_t from = 0; from < events.size(); from += limits::kEventsPerStatement)
    take_queued(group,
                events.subspan(from, std::min(limits::kEventsPerStatement, events.size() - from)));
  std::vector<Outcome> outcomes(events.size(), Outcome::types);
  if (group.empty()) co_return outcomes;
  const pg::Results found = co_await transaction.run(std::move(group));
  for (std::size_t part = 0; part < found.size(); ++part)
    for (std::size_t i = 0; i < found[part].size(); ++i) {
      const pg::Row row = found[part][i];
      outcomes[part * limits::kEventsPerStatement +
               static_cast<std::size_t>(row.integer("ordinal") - 1)] =
          outcome_of(row.view("outcome"));
    }
  co_return outcomes;
}

boost::asio::awaitable<std::vector<Taken>> take_events(pg::Pool& database, pg::Scope scope,
                                                       std::int64_t types_version,
                                                       std::vector<const CustomEvent*> events) {
  try {
    const pg::Results found =
        co_await database.commit(statement_of(*scope.account, types_version, events), scope);
    co_return taken_of(found[0], events.size());
  } catch (const pg::Error& error) {
    if (error.kind() != pg::Error::Kind::refused || error.is_outage()) throw;
    // A single event that lost a race for its eventId is not refused: write_alone() handles it.
    if (events.size() == 1 && !error.is_overtaken()) throw;
  }
  if (events.size() == 1) co_return std::vector<Taken>{{.outcome = Outcome::person}};
  const auto half = events.begin() + std::ssize(events) / 2;
  std::vector<Taken> taken =
      co_await take_events(database, scope, types_version, {events.begin(), half});
  std::ranges::move(co_await take_events(database, scope, types_version, {half, events.end()}),
                    std::back_inserter(taken));
  co_return taken;
}

void read_claim(pg::Group& reads, std::int64_t account, const CustomEvent& event) {
  reads.add(sql::find_event_claim, account, event.key_hash);
}

std::optional<EventClaim> found_claim(const pg::Result& result) {
  const auto row = result.first();
  if (!row) return std::nullopt;
  std::string content_hash = row->uuid("content_hash").to_string();
  std::erase(content_hash, '-');
  return EventClaim{.content_hash = std::move(content_hash),
                    .receipt = {.id = row->uuid("uid"),
                                .status = "duplicate",
                                .contact_id = row->uuid("contact_id"),
                                .received_at = row->instant("made_at")}};
}

boost::asio::awaitable<std::optional<EventClaim>> find_claim(pg::Pool& database, pg::Scope scope,
                                                             const CustomEvent& event) {
  pg::Group reads;
  read_claim(reads, *scope.account, event);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  co_return found_claim(found[0]);
}

void write_event(pg::Group& effect, std::int64_t account, const CustomEvent& event,
                 const contacts::Contact& contact, Instant now) {
  if (event.key_hash)
    effect.add(sql::insert_event_claim, account, *event.key_hash, event.content_hash, event.uid,
               contact.id);
  events::append(effect, account,
                 {.uid = event.uid,
                  .lane = contact.lane,
                  .contact_id = contact.id,
                  .kind = event.kind,
                  .occurred_at = event.occurred_at.value_or(now),
                  .trigger = event.trigger,
                  .payload = event.payload});
}

}  // namespace shopbell::custom_events

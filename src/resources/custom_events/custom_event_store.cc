#include "resources/custom_events/custom_event_store.h"

#include <algorithm>

#include "resources/custom_events/queries.h"

namespace shopbell::custom_events {

namespace {

pg::Group statement_of(std::int64_t account, std::int64_t types_version,
                       std::span<const CustomEvent* const> events) {
  std::array<std::vector<pg::Parameter>, 11> columns;
  for (const CustomEvent* event : events) {
    const contacts::Keys& keys = event->names.keys;
    const bool email = !keys.emails.empty();
    const bool external_id = !keys.external_ids.empty();
    const auto hash = [&](std::size_t index) { return pg::parameter(event->names.hashes[index]); };
    const std::array<pg::Parameter, 11> values{
        pg::parameter(event->uid),
        event->kind,
        event->key_hash,
        event->content_hash,
        email ? pg::parameter(keys.emails[0]) : std::nullopt,
        external_id ? pg::parameter(keys.external_ids[0]) : std::nullopt,
        email ? hash(0) : std::nullopt,
        external_id ? hash(email ? 1 : 0) : std::nullopt,
        pg::parameter(event->occurred_at),
        pg::parameter(events::name_of(event->trigger)),
        event->payload};
    for (std::size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
  }
  pg::Group group;
  group.add(sql::take_events, account, types_version, columns[0], columns[1], columns[2],
            columns[3], columns[4], columns[5], columns[6], columns[7], columns[8], columns[9],
            columns[10]);
  return group;
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

boost::asio::awaitable<std::vector<Taken>> take_events(pg::Transaction& transaction,
                                                       std::int64_t account,
                                                       std::int64_t types_version,
                                                       std::vector<const CustomEvent*> events) {
  const pg::Results found = co_await transaction.run(statement_of(account, types_version, events));
  co_return taken_of(found[0], events.size());
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

#include "events/history.h"

#include "events_queries.h"

namespace shopbell::events {

namespace {

PastEvent event_of(const pg::Row& row) {
  return {.uid = row.uuid("uid"),
          .kind = row.text("kind"),
          .occurred_at = row.instant("occurred_at"),
          .position = {.received_at = row.instant("received_at"), .id = row.integer("id")},
          .contact_id = row.uuid("contact_id"),
          .payload = row.maybe_text("payload")};
}

}  // namespace

boost::asio::awaitable<std::vector<PastEvent>> list_history(pg::Pool& database, pg::Scope scope,
                                                            std::vector<Uuid> contacts,
                                                            std::optional<HistoryPosition> before,
                                                            std::int64_t limit) {
  std::optional<Instant> before_at;
  std::optional<std::int64_t> before_id;
  if (before) {
    before_at = before->received_at;
    before_id = before->id;
  }
  const pg::Result found = co_await database.query(scope, sql::list_history, *scope.account,
                                                   contacts, before_at, before_id, limit);
  std::vector<PastEvent> events;
  events.reserve(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) events.push_back(event_of(found[i]));
  co_return events;
}

}  // namespace shopbell::events

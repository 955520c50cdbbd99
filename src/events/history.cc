#include "events/history.h"

#include "events/queries.h"

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

// Ids start at 1, so id 0 is a position before everything received at that time.
std::optional<HistoryPosition> start_of(std::optional<Instant> at) {
  return at.transform([](Instant time) { return HistoryPosition{.received_at = time}; });
}

}  // namespace

boost::asio::awaitable<std::vector<PastEvent>> list_history(pg::Pool& database, pg::Scope scope,
                                                            HistoryPage page) {
  // The page covers the events between two positions, both exclusive.
  auto low = start_of(page.from);
  auto high = start_of(page.to);
  if (page.behind) (page.ascending ? low : high) = page.behind;
  const auto time = [](const HistoryPosition& position) { return position.received_at; };
  const auto id = [](const HistoryPosition& position) { return position.id; };
  // Each kind is a range of the index; without kinds, one range covers all.
  std::vector<std::string> first_kinds = page.kinds;
  std::vector<std::string> last_kinds = std::move(page.kinds);
  if (first_kinds.empty()) {
    first_kinds.emplace_back();
    last_kinds.emplace_back("\U0010FFFF");
  }
  const pg::Result found = co_await database.query(
      scope, page.ascending ? sql::list_oldest_history : sql::list_newest_history, *scope.account,
      page.contacts, first_kinds, last_kinds, low.transform(time), low.transform(id).value_or(0),
      high.transform(time), high.transform(id).value_or(0), page.limit);
  co_return found.map(event_of);
}

}  // namespace shopbell::events

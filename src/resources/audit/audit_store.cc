#include "resources/audit/audit_store.h"

#include <algorithm>
#include <format>

#include "resources/audit/queries.h"

namespace shopbell::audit {

namespace {

using std::chrono::milliseconds;

AuditEntry entry_of(const pg::Row& row) {
  return {.id = row.uuid("audit_id"),
          .at = row.instant("at"),
          .actor = row.text("actor"),
          .actor_id = row.maybe_text("actor_id"),
          .operation = row.text("operation"),
          .object = row.text("object"),
          .members = row.texts("members"),
          .request_id = row.maybe_text("request_id"),
          .address = row.maybe_text("address")};
}

// The ids between which the page lies, without these two. Ids sort by time, so the page costs the
// same for any period.
struct Bounds {
  Uuid lower;
  Uuid upper = *Uuid::parse("ffffffff-ffff-ffff-ffff-ffffffffffff");
};

Bounds bounds_of(const Listing& listing) {
  Bounds bounds;
  if (listing.created_after)
    bounds.lower =
        first_id_of(std::chrono::floor<milliseconds>(*listing.created_after) + milliseconds{1});
  if (listing.created_before)
    bounds.upper = first_id_of(std::chrono::ceil<milliseconds>(*listing.created_before));
  if (!listing.after) return bounds;
  if (listing.ascending) {
    bounds.lower = std::max(bounds.lower, *listing.after);
  } else {
    bounds.upper = std::min(bounds.upper, *listing.after);
  }
  return bounds;
}

}  // namespace

Uuid first_id_of(std::chrono::sys_time<milliseconds> time) {
  const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(
      0, std::min<std::int64_t>(time.time_since_epoch().count(), 0xffff'ffff'ffff)));
  return *Uuid::parse(std::format("{:08x}-{:04x}-0000-0000-000000000000", ms >> 16, ms & 0xffff));
}

boost::asio::awaitable<std::vector<AuditEntry>> list_entries(pg::Pool& database, pg::Scope scope,
                                                             Listing listing) {
  const Bounds bounds = bounds_of(listing);
  const pg::Result found = co_await database.query(
      scope, listing.ascending ? sql::list_oldest_entries : sql::list_newest_entries,
      listing.account, bounds.lower, bounds.upper, listing.actor, listing.operation, listing.object,
      listing.limit);
  co_return found.map(entry_of);
}

}  // namespace shopbell::audit

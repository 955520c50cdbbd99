#include "resources/webhooks/webhook_reader.h"

#include "events/event_kinds.h"
#include "pg/columns.h"
#include "resources/webhooks/queries.h"

namespace shopbell::webhooks {

namespace {

void schedule(std::span<const event_log::Entry> entries, pg::Group& effect) {
  pg::Columns rows;
  for (const auto& entry : entries) {
    if (events::is_internal(entry.kind)) continue;
    rows.add(entry.account, entry.id, entry.uid, entry.received_at, entry.kind, entry.lane,
             entry.contact_id.value_or(Uuid{}));
  }
  rows.add_to(effect, sql::schedule_deliveries);
}

}  // namespace

event_log::Reader webhook_reader(std::function<void()> committed) {
  return {.name = "webhooks",
          .some_accounts = true,
          .effect = schedule,
          .committed = std::move(committed)};
}

}  // namespace shopbell::webhooks

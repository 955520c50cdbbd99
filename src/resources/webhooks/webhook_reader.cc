#include "resources/webhooks/webhook_reader.h"

#include "events/event_kinds.h"
#include "pg/columns.h"
#include "resources/webhooks/queries.h"

namespace shopbell::webhooks {

namespace {

// The event type that a workflow sends, whose endpoint has the same id.
Uuid sent_type_of(const event_log::Entry& entry) {
  const auto type = Uuid::parse(entry.subject.value_or(""));
  if (!type || !entry.contact_id)
    throw event_log::Objection{"the event has no contact or no event type"};
  return *type;
}

void schedule(std::span<const event_log::Entry> entries, pg::Group& effect) {
  pg::Columns rows;
  pg::Columns sent;
  for (const auto& entry : entries) {
    const bool is_sent = entry.kind == events::kSendWebhook;
    if (events::is_internal(entry.kind) && !is_sent) continue;
    std::optional<Uuid> endpoint;
    if (is_sent) endpoint = sent_type_of(entry);
    rows.add(entry.account, entry.id, entry.uid, entry.received_at, entry.kind, entry.lane,
             entry.contact_id.value_or(Uuid{}), endpoint);
    if (is_sent)
      sent.add(entry.account, entry.uid, entry.lane, *entry.contact_id, *endpoint, entry.hops);
  }
  rows.add_to(effect, sql::schedule_deliveries);
  sent.add_to(effect, sql::end_unscheduled);
}

}  // namespace

event_log::Reader webhook_reader(std::function<void()> committed) {
  return {.name = "webhooks",
          .some_accounts = true,
          .effect = schedule,
          .committed = std::move(committed)};
}

}  // namespace shopbell::webhooks

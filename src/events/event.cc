#include "events/event.h"

#include <string_view>
#include <utility>

#include "base/digest.h"
#include "events/queries.h"
#include "pg/columns.h"

namespace shopbell::events {

std::string_view name_of(Trigger trigger) {
  switch (trigger) {
    case Trigger::all:
      return "all";
    case Trigger::exits:
      return "exits";
    case Trigger::none:
      return "none";
  }
  std::unreachable();
}

void append(pg::Group& effect, std::int64_t account, const Event& event) {
  effect.add(sql::append_event, account, event.uid, event.lane, event.contact_id, event.contact_seq,
             event.subject, event.kind, event.format, event.occurred_at, name_of(event.trigger),
             event.hops, event.cause_uid, event.source, event.trace, event.payload);
}

void append(pg::Group& effect, std::int64_t account, std::span<const Event> events) {
  pg::Columns rows;
  for (const auto& event : events)
    rows.add(event.uid, event.lane, event.contact_id, event.contact_seq, event.subject, event.kind,
             event.format, event.occurred_at, name_of(event.trigger), event.hops, event.cause_uid,
             event.source, event.trace, event.payload);
  rows.add_to(effect, sql::append_events, account);
}

void append(pg::Group& effect, std::span<const AccountEvent> events) {
  pg::Columns rows;
  for (const auto& [account, event] : events)
    rows.add(account, event.uid, event.lane, event.contact_id, event.subject, event.kind,
             event.occurred_at, name_of(event.trigger), event.hops, event.cause_uid, event.source,
             event.payload);
  rows.add_to(effect, sql::append_account_events);
}

std::int16_t lane_of(std::int64_t account, const Uuid& contact) {
  std::string hashed;
  hashed.reserve(sizeof(account) + contact.bytes().size());
  for (int shift = 56; shift >= 0; shift -= 8)
    hashed.push_back(static_cast<char>(account >> shift));
  hashed.append(contact.bytes().begin(), contact.bytes().end());
  const Sha256 hash = sha256(hashed);
  return static_cast<std::int16_t>(hash[0] << 2 | hash[1] >> 6);
}

}  // namespace shopbell::events

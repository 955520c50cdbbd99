// Event: a record of one change. It is appended in the same group as the change, so neither exists
// without the other. It is read as a contact's history, and by the readers of the event log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/uuid.h"
#include "pg/group.h"

namespace shopbell::events {

// The reactions of the workflow engine that an event may trigger.
enum class Trigger { all, exits, none };
std::string_view name_of(Trigger trigger);

struct Event {
  Uuid uid;  // public id
  std::int16_t lane = 0;
  std::optional<Uuid> contact_id;
  std::optional<std::int64_t> contact_seq;  // its number among the changes of the contact's row
  std::optional<std::string> subject;       // the object of the event, if not a contact
  std::string kind;                         // such as "contact.created"
  std::int16_t format = 1;                  // version of the payload's format
  Instant occurred_at;
  Trigger trigger = Trigger::all;
  std::int16_t hops = 0;  // length of the chain of events that caused it
  std::optional<Uuid> cause_uid;
  std::string source = "api";
  std::optional<std::string> trace;
  std::string payload;  // JSON, following the schema of the kind
};

// Adds the statement that appends the event. For an event of a contact, an earlier statement of the
// group must have locked the contact's row: event numbers then follow the order of changes.
void append(pg::Group& effect, std::int64_t account, const Event& event);

// Appends many events, in order.
void append(pg::Group& effect, std::int64_t account, std::span<const Event> events);

// An event of one of many accounts, which does not change the row of a contact.
struct AccountEvent {
  std::int64_t account = 0;
  Event event;
};
// Appends events of many accounts in one statement, in order. Only as the worker role.
void append(pg::Group& effect, std::span<const AccountEvent> events);

// The lane, of 1,024, of a contact's rows. Rows of one lane are processed in order.
std::int16_t lane_of(std::int64_t account, const Uuid& contact);

}  // namespace shopbell::events

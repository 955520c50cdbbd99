// Event: something that happened, told once. It is appended in the group of the change it tells of,
// so there is no change without its event and no event without its change. From the table it is
// read as a contact's history and by whatever reacts to it.
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

// What of the engine an event may set in motion.
enum class Trigger { all, exits, none };
std::string_view name_of(Trigger trigger);

struct Event {
  Uuid uid;  // the id outside
  std::int16_t lane = 0;
  std::optional<Uuid> contact_id;
  std::optional<std::int64_t> contact_seq;  // its number among those that change the contact's row
  std::optional<std::string> subject;       // what it is about, when that is no contact
  std::string kind;                         // "contact.created"
  std::int16_t format = 1;                  // of the payload; a new one is a new number
  Instant occurred_at;
  Trigger trigger = Trigger::all;
  std::int16_t hops = 0;  // how many events led to it, one causing the next
  std::optional<Uuid> cause_uid;
  std::string source = "api";
  std::optional<std::string> trace;
  std::string payload;  // JSON, as the kind's schema says
};

// Adds one statement. When the event is of a contact, its row is locked by an earlier statement of
// the group: the order of the events' numbers is then the order of the changes.
void append(pg::Group& effect, std::int64_t account, const Event& event);

// Many at once, in their order.
void append(pg::Group& effect, std::int64_t account, std::span<const Event> events);

// Which of the 1,024 lanes a contact's rows belong to: those of one lane are worked on in order.
std::int16_t lane_of(std::int64_t account, const Uuid& contact);

}  // namespace shopbell::events

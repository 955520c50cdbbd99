// EventType: one kind of event of an integration. With direction receive it has an alias, under
// which the store sends events. With direction send it has a URL, to which workflows send signed
// events: its endpoint is a row of the webhooks with the same id, and their sender delivers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "json/reading.h"
#include "outgoing/sent_header.h"
#include "resources/integrations/event_field.h"

namespace shopbell::integrations {

struct EventType {
  Uuid id;
  Uuid integration_id;
  std::string name;
  std::string direction;             // "receive" or "send"
  std::optional<std::string> alias;  // set only if the direction is receive
  std::vector<EventField> fields;
  std::string additional_members = "keep";  // "keep", "drop" or "reject"
  std::optional<std::string> url;           // set only if the direction is send
  outgoing::SentHeaders headers;
  std::optional<std::string> status;  // of the endpoint: "enabled" or "disabled"
  std::optional<std::string> reason;  // if disabled: "requested", "failing" or "gone"
  std::optional<Instant> failing_since;
  std::optional<std::string> signing_secret;  // set only in the response that generates it
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;

  bool sends() const { return direction == "send"; }
};

// True for a valid alias: a lowercase letter, then letters, digits and dashes; not a UUID.
bool is_alias(std::string_view text);

// Checks the members that depend on the direction, and the total size of the fields.
void settle(json::Reading& reading, EventType& type);
// Updates reason and failing_since after a change of status or URL.
void settle_status(const EventType& before, EventType& after);
bool changes_delivery(const EventType& before, const EventType& after);
// Refuses changes of members that are fixed after creation.
void check_change(json::Reading& reading, const EventType& before, const EventType& after);

}  // namespace shopbell::integrations

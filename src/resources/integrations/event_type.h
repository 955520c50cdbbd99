// EventType: one kind of event of an integration. One that receives has an alias, by which events
// are sent in; one that sends has a URL, to which a workflow's events go, signed.
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
  std::optional<std::string> alias;  // of one that receives
  std::vector<EventField> fields;
  std::string additional_members = "keep";  // or "drop", "reject"
  std::optional<std::string> url;           // of one that sends
  outgoing::SentHeaders headers;
  std::optional<std::string> signing_secret;  // known only while it is made
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;

  bool sends() const { return direction == "send"; }
};

// A small letter, then small letters, digits and dashes; nothing that could be an id.
bool is_alias(std::string_view text);

// Which members go with which direction, and how large the fields are together.
void settle(json::Reading& reading, EventType& type);
bool changes_delivery(const EventType& before, const EventType& after);
// What cannot change once the type is there.
void check_change(json::Reading& reading, const EventType& before, const EventType& after);

}  // namespace shopbell::integrations

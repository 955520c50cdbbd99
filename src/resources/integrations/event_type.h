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
#include "keyring/keyring.h"
#include "resources/integrations/event_field.h"

namespace shopbell::integrations {

// A header that goes with what is sent. Its value comes in once and is kept sealed.
struct Header {
  std::string name;
  std::optional<std::string> value;  // as it was sent just now
  std::string sealed;                // as it is kept, in hexadecimal
};

struct EventType {
  Uuid id;
  Uuid integration_id;
  std::string name;
  std::string direction;             // "receive" or "send"
  std::optional<std::string> alias;  // of one that receives
  std::vector<EventField> fields;
  std::string additional_members = "keep";  // or "drop", "reject"
  std::optional<std::string> url;           // of one that sends
  std::vector<Header> headers;
  std::optional<std::string> signing_secret;  // known only while it is made
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;

  bool sends() const { return direction == "send"; }
};

// A small letter, then small letters, digits and dashes; nothing that could be an id.
bool is_alias(std::string_view text);

// A name that a header may have and that the service does not set by itself.
bool is_own_header(std::string_view name);

// Which members go with which direction, and how large the fields are together.
void settle(json::Reading& reading, EventType& type);
// Every header has a value: sent with it, or kept of `before`.
void settle_headers(json::Reading& reading, const std::vector<Header>& before, EventType& type);
bool changes_delivery(const EventType& before, const EventType& after);
// What cannot change once the type is there.
void check_change(json::Reading& reading, const EventType& before, const EventType& after);

// `whsec_…`, as Standard Webhooks has it.
std::string new_signing_secret();

// Secrets of a type as they are kept, and back; nothing when it was sealed for something else.
std::string header_context(std::int64_t account, const EventType& type, std::string_view header);
std::string secret_context(std::int64_t account, const EventType& type);
void seal_headers(const keyring::Keyring& keyring, std::int64_t account, EventType& type);

}  // namespace shopbell::integrations

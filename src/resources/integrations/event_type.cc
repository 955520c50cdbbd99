#include "resources/integrations/event_type.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "resources/integrations/event_field_json.h"

namespace shopbell::integrations {

namespace {

using json::Reading;

void settle_direction(Reading& reading, const EventType& type) {
  const auto needs = [&](std::string_view name, bool there, std::string_view why) {
    if (!there && !reading.refused_at(std::format("/{}", name)))
      reading.refuse_at(name, "required", std::string{why});
  };
  const auto only_for = [&](std::string_view name, bool there, std::string_view direction) {
    if (there)
      reading.refuse_at(name, "conflicts-with",
                        std::format("Is only allowed for direction {}.", direction));
  };
  if (type.sends()) {
    needs("url", type.url.has_value(), "Is required for direction send.");
    only_for("alias", type.alias.has_value(), "receive");
  } else {
    needs("alias", type.alias.has_value(), "Is required for direction receive.");
    only_for("url", type.url.has_value(), "send");
    only_for("headers", !type.headers.empty(), "send");
    only_for("status", type.status.has_value(), "send");
  }
}

}  // namespace

bool is_alias(std::string_view text) {
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && text.size() <= 64 && small(text[0]) &&
         std::ranges::all_of(
             text, [&](char c) { return small(c) || (c >= '0' && c <= '9') || c == '-'; }) &&
         !Uuid::parse(text);
}

void settle(Reading& reading, EventType& type) {
  settle_direction(reading, type);
  if (type.sends() && !type.status) type.status = "enabled";
  const Reading::Place place{reading, "fields"};
  check_size(reading, type.fields);
  if (fields_to_json(type.fields).size() > limits::kEventFieldBytes)
    reading.refuse("too-long", std::format("Exceeds {} bytes, including all options.",
                                           limits::kEventFieldBytes));
}

void settle_status(const EventType& before, EventType& after) {
  if (after.status == before.status && after.url == before.url) return;
  after.failing_since.reset();  // failures of the old URL do not count for the new one
  if (after.status == before.status) return;
  after.reason.reset();
  if (after.status == "disabled") after.reason = "requested";
}

bool changes_delivery(const EventType& before, const EventType& after) {
  return before.url != after.url || outgoing::differ(before.headers, after.headers);
}

void check_change(Reading& reading, const EventType& before, const EventType& after) {
  const auto fixed = [&](std::string_view name, bool same) {
    if (!same)
      reading.refuse_at(name, "read-only", "Cannot be changed after the type was created.");
  };
  fixed("direction", before.direction == after.direction);
  fixed("alias", before.alias == after.alias);
  fixed("additionalMembers", before.additional_members == after.additional_members);
  const Reading::Place place{reading, "fields"};
  check_change(reading, before.fields, after.fields);
}

}  // namespace shopbell::integrations

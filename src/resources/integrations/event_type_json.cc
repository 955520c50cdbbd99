#include "resources/integrations/event_type_json.h"

#include "base/limits.h"
#include "base/text.h"
#include "resources/integrations/event_field_json.h"

namespace shopbell::integrations {

namespace {

using json::Reading;
using json::Value;
using TypeMember = json::Field<EventType>;

TypeMember fields() {
  return TypeMember{
      "fields", shown_fields_schema(),
      [](json::Writer& writer, const EventType& type) { write_fields(writer, type.fields); },
      [](Reading& reading, const Value& value, const TypeMember&) -> TypeMember::Set {
        auto read = read_fields(reading, value);
        if (!read) return {};
        return [read = std::move(*read)](EventType& type) { type.fields = read; };
      }}
      .sent_as(sent_fields_schema())
      .restricts()
      .doc("The members of the payload: at most 200 fields, nested up to five levels.");
}

std::vector<TypeMember> members() {
  return {
      json::uuid("id", &EventType::id),
      json::uuid("integrationId", &EventType::integration_id),
      json::text("name", &EventType::name)
          .doc("Display name.")
          .required()
          .length_min(1)
          .example(R"("Points redeemed")"),
      json::text("direction", &EventType::direction)
          .doc("`receive`: the store sends events of this type. `send`: workflows send them to the "
               "URL.")
          .required()
          .options({"receive", "send"})
          .example(R"("receive")"),
      json::text("alias", &EventType::alias)
          .doc("Can be used instead of the id. Only for direction `receive`, and required there.")
          .length_max(64)
          .pattern("^[a-z][a-z0-9-]{0,63}$")
          .rule(is_alias,
                "Must start with a lowercase letter, followed by lowercase letters, digits and "
                "dashes, and must not be a UUID.")
          .example(R"("points-redeemed")"),
      fields(),
      json::text("additionalMembers", &EventType::additional_members)
          .doc("How to handle members of a payload without a field: `keep` stores them "
               "unchanged, `drop` removes them, `reject` refuses the event.")
          .options({"keep", "drop", "reject"})
          .default_value(R"("keep")")
          .restricts(),
      json::text("url", &EventType::url)
          .doc("The URL to send to. Only for direction `send`, and required there.")
          .format("uri")
          .length_max(2048)
          .rule(is_web_url, "Is not an http or https URL without a user."),
      outgoing::headers(&EventType::headers, limits::kEventHeaders)
          .doc("Only for direction `send`. Answers show the names, not the values."),
      json::text("status", &EventType::status)
          .doc("Only for direction `send`. `disabled`: nothing is sent, and the webhook nodes of "
               "workflows continue at `onFailed`. A type is also disabled if its endpoint answers "
               "410, or if all deliveries failed for 3 days; enable it again once it works.")
          .options({"enabled", "disabled"}),
      json::text("reason", &EventType::reason)
          .doc("Why the type is disabled: a client set the status (`requested`), all deliveries "
               "failed for 3 days (`failing`), or the endpoint answered 410 (`gone`).")
          .options({"requested", "failing", "gone"})
          .read_only(),
      json::instant("failingSince", &EventType::failing_since)
          .doc("Time since which all deliveries have failed; null if the endpoint works.")
          .read_only(),
      json::instant("createdAt", &EventType::created_at).read_only(),
      json::instant("updatedAt", &EventType::updated_at).read_only()};
}

}  // namespace

const json::Table<EventType>& event_type_json() {
  static const json::Table<EventType> table{"CustomEventType", "A kind of event of an integration.",
                                            members()};
  return table;
}

const json::Table<EventType>& created_event_type_json() {
  static const json::Table<EventType> table{
      "CreatedCustomEventType", "A kind of event, with its new signing secret.", [] {
        auto with_secret = members();
        with_secret.push_back(json::text("signingSecret", &EventType::signing_secret)
                                  .doc("Signs the events that are sent (Standard Webhooks). Only "
                                       "this answer shows it; "
                                       "null for direction `receive`.")
                                  .read_only());
        return with_secret;
      }()};
  return table;
}

}  // namespace shopbell::integrations

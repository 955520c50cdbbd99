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
      .doc("What the payload holds: at most 200 fields, in each other to five levels.");
}

std::vector<TypeMember> members() {
  return {json::uuid("id", &EventType::id),
          json::uuid("integrationId", &EventType::integration_id),
          json::text("name", &EventType::name)
              .doc("For people.")
              .required()
              .length_min(1)
              .example(R"("Points redeemed")"),
          json::text("direction", &EventType::direction)
              .doc("`receive`: the store sends it in. `send`: a workflow sends it out.")
              .required()
              .options({"receive", "send"})
              .example(R"("receive")"),
          json::text("alias", &EventType::alias)
              .doc("Names the type wherever its id could; type receive only, and it must have one.")
              .length_max(64)
              .pattern("^[a-z][a-z0-9-]{0,63}$")
              .rule(is_alias,
                    "Must start with a small letter, go on with small letters, digits and dashes, "
                    "and not be a UUID.")
              .example(R"("points-redeemed")"),
          fields(),
          json::text("additionalMembers", &EventType::additional_members)
              .doc("What becomes of members of a payload that no field describes: `keep` stores "
                   "them as they are, `drop` leaves them out, `reject` refuses the event.")
              .options({"keep", "drop", "reject"})
              .default_value(R"("keep")")
              .restricts(),
          json::text("url", &EventType::url)
              .doc("Where to send; type send only, and it must have one.")
              .format("uri")
              .length_max(2048)
              .rule(is_web_url, "Is not an http or https URL without user."),
          outgoing::headers(&EventType::headers, limits::kEventHeaders)
              .doc("Of types that send; only their names are shown."),
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
      "CreatedCustomEventType", "A kind of event, and the secret that was just made for it.", [] {
        auto with_secret = members();
        with_secret.push_back(
            json::text("signingSecret", &EventType::signing_secret)
                .doc("What is sent is signed by it (Standard Webhooks). It is shown now and never "
                     "again; null of a type that receives.")
                .read_only());
        return with_secret;
      }()};
  return table;
}

}  // namespace shopbell::integrations

#include "resources/integrations/event_type_json.h"

#include <stdexcept>

#include "base/limits.h"
#include "base/text.h"
#include "resources/integrations/event_field_json.h"

namespace shopbell::integrations {

namespace {

using json::Reading;
using json::Value;
using Member = json::Field<EventType>;

json::Field<Header> header_name() {
  return json::text("name", &Header::name)
      .required()
      .length_min(1)
      .pattern("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
      .rule(is_own_header, "Is no name of a header, or one that the service sets by itself.")
      .example(R"("X-Token")");
}

const json::Table<Header>& sent_header_json() {
  static const json::Table<Header> table{
      "SentHeader",
      "A header that goes with what is sent.",
      {header_name(), json::text("value", &Header::value)
                          .doc("Never shown again. May be left out of a patch: the value stays.")
                          .length_min(1)
                          .length_max(limits::kHeaderValueCharacters)
                          .pattern("^[!-~]([ -~]*[!-~])?$")
                          .rule(
                              [](std::string_view text) {
                                return trimmed(text) == text &&
                                       std::ranges::all_of(
                                           text, [](char c) { return c >= ' ' && c <= '~'; });
                              },
                              "Takes visible ASCII characters, and blanks between them.")
                          .restricts()}};
  return table;
}

const json::Table<Header>& shown_header_json() {
  static const json::Table<Header> table{
      "ShownHeader", "A header that goes with what is sent.", {header_name()}};
  return table;
}

// The kept form is the service's own: it is never on the wire.
const json::Table<Header>& kept_header_json() {
  static const json::Table<Header> table{
      "KeptHeader",
      "",
      {json::text("name", &Header::name),
       json::text("sealed", &Header::sealed).length_max(limits::kHeaderValueCharacters * 8)}};
  return table;
}

Member headers() {
  return json::objects("headers", &EventType::headers, sent_header_json(), limits::kEventHeaders)
      .element([](json::Schema& element) { element = shown_header_json().schema(); })
      .shown_by([](json::Writer& writer, const EventType& type) {
        writer.begin_list();
        for (const auto& header : type.headers) shown_header_json().write(writer, header);
        writer.end();
      })
      .doc("Of types that send; only their names are shown.")
      .restricts();
}

Member fields() {
  return Member{
      "fields", shown_fields_schema(),
      [](json::Writer& writer, const EventType& type) { write_fields(writer, type.fields); },
      [](Reading& reading, const Value& value, const Member&) -> Member::Set {
        auto read = read_fields(reading, value);
        if (!read) return {};
        return [read = std::move(*read)](EventType& type) { type.fields = read; };
      }}
      .sent_as(sent_fields_schema())
      .restricts()
      .doc("What the payload holds: at most 200 fields, in each other to five levels.");
}

std::vector<Member> members() {
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
          headers(),
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

std::string headers_to_json(const std::vector<Header>& headers) {
  json::Writer writer;
  writer.begin_list();
  for (const auto& header : headers) kept_header_json().write(writer, header);
  writer.end();
  return writer.finish();
}

std::vector<Header> headers_from_json(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"the headers of an event type are not JSON"};
  std::vector<Header> headers;
  json::Reading reading;
  document->root().for_each([&](std::string_view, const Value& element) {
    kept_header_json().read_new(element, reading).apply_to(headers.emplace_back());
  });
  return headers;
}

}  // namespace shopbell::integrations

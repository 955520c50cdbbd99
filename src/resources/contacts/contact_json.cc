#include "resources/contacts/contact_json.h"

#include <stdexcept>

#include "base/identity.h"
#include "base/limits.h"
#include "base/text.h"

namespace shopbell::contacts {

namespace {

using json::Field;
using json::Reading;
using json::Value;

const std::vector<std::string>& subscriptions() {
  static const std::vector<std::string> names{"subscribed", "unsubscribed", "pending", "none"};
  return names;
}

const json::Table<Consent>& consent_json() {
  static const json::Table<Consent> table{
      "Consent",
      "A choice the person made about a channel, with its proof.",
      {json::text("channel", &Consent::channel).required().options({"email", "sms"}),
       json::text("status", &Consent::status).required().options(subscriptions()),
       json::instant("at", &Consent::at)
           .doc("When the person decided. Default: `sourceUpdatedAt`, else now."),
       json::text("source", &Consent::source)
           .doc("The place of the choice, such as a form, a checkout or a letter."),
       json::text("ip", &Consent::ip).length_max(45),
       json::text("userAgent", &Consent::user_agent).length_max(1000),
       json::text("wording", &Consent::wording)
           .doc("The exact text the person agreed to.")
           .several_lines()
           .length_max(limits::kWordingCharacters),
       json::text("method", &Consent::method)
           .options({"singleOptIn", "doubleOptIn", "softOptIn", "imported"})}};
  return table;
}

struct PointsChange {
  std::int64_t add = 0;
};

const json::Table<PointsChange>& points_change() {
  static const json::Table<PointsChange> table{
      "PointsChange", "Points to add.", {json::integer("add", &PointsChange::add).required()}};
  return table;
}

// A number sets the points; {"add": n} adds to the current points.
Field<Contact> points() {
  json::Schema sent{
      .description = "A whole number to set, or `{\"add\": n}` to add n; n may be negative.",
      .example = "{\"add\":10}"};
  sent.any_of = {{.type = "integer"}, points_change().new_schema()};
  return Field<Contact>{
      "points", json::Schema{.type = "integer", .description = "Points of a loyalty programme."},
      [](json::Writer& writer, const Contact& contact) { writer.integer(contact.points); },
      [](Reading& reading, const Value& value, const Field<Contact>&) -> Field<Contact>::Set {
        if (value.type() != json::Type::object) {
          const auto number = json::read_integer(reading, value, {});
          if (!number) return {};
          return [points = *number](Contact& contact) { contact.points = points; };
        }
        PointsChange change;
        points_change().read_new(value, reading).apply_to(change);
        return [add = change.add](Contact& contact) { contact.sent_points = add; };
      }}
      .sent_as(std::move(sent));
}

// The values are validated later, by settle_fields(): valid values depend on the account's fields.
Field<Contact> fields() {
  return Field<Contact>{
      "fields",
      json::Schema{.type = "object",
                   .description = "Values of the store's own fields, by field id.",
                   .open = true},
      [](json::Writer& writer, const Contact& contact) {
        writer.written(contact.shown_fields.json);
      },
      [](Reading& reading, const Value& value, const Field<Contact>&) -> Field<Contact>::Set {
        if (value.type() != json::Type::object) {
          reading.refuse("wrong-type", "Expected an object.");
          return {};
        }
        return
            [sent = json::Raw{value.to_json()}](Contact& contact) { contact.sent_fields = sent; };
      }};
}

Field<Contact> consent() {
  return json::objects("consent", &Contact::sent_consent, consent_json(), limits::kConsentsSent)
      .doc(
          "The consent history, newest first. Sent entries are added to it; entries that it "
          "already "
          "has are ignored.")
      .restricts()
      .shown_by([](json::Writer& writer, const Contact& contact) {
        writer.begin_list();
        for (const auto& entry : contact.consent) consent_json().write(writer, entry);
        writer.end();
      });
}

std::vector<Field<Contact>> members() {
  const auto status = [](std::string name, std::string Contact::* member) {
    return json::text(std::move(name), member)
        .options({"active", "paused", "bounced", "complained"})
        .doc("You can set `active` and `paused`; only the service sets the others.");
  };
  const auto subscription = [](std::string name, std::string Contact::* member) {
    return json::text(std::move(name), member)
        .options(subscriptions())
        .doc("Only a later entry in `consent` subscribes an unsubscribed contact again.")
        .restricts();
  };
  return {
      json::uuid("id", &Contact::id),
      json::text("email", &Contact::email)
          .doc("Unique, ignoring case; stored as sent.")
          .length_max(254)
          .rule([](std::string_view text) { return email_key(text).has_value(); },
                "Is not an e-mail address.")
          .example(R"("eva@example.com")"),
      json::text("externalId", &Contact::external_id)
          .doc("The store's own id of the person; unique.")
          .length_min(1)
          .length_max(limits::kExternalIdCharacters)
          .example(R"("c-1042")"),
      json::text("firstName", &Contact::first_name).example(R"("Eva")"),
      json::text("lastName", &Contact::last_name).example(R"("Bell")"),
      json::text("company", &Contact::company),
      json::text("birthDate", &Contact::birth_date)
          .doc("`1990-05-17`, or `--05-17` when the year is not known.")
          .rule(is_birth_date, "Is not a date such as 1990-05-17 or --05-17.")
          .example(R"("1990-05-17")"),
      json::text("phone", &Contact::phone)
          .doc("Stored as E.164. A number without a country code belongs to the store's country.")
          .length_min(1)
          .length_max(64)
          .example(R"("+43 664 1234567")"),
      json::text("locale", &Contact::locale)
          .length_max(35)
          .rule(is_locale, "Is not a BCP 47 language tag such as de-AT."),
      json::text("timeZone", &Contact::time_zone)
          .length_max(64)
          .rule(is_time_zone, "Is not an IANA time zone such as Europe/Vienna."),
      json::text("country", &Contact::country)
          .length_max(2)
          .rule(is_country, "Is not an ISO 3166-1 country such as AT."),
      json::text("postalCode", &Contact::postal_code).length_max(32),
      json::text("currency", &Contact::currency)
          .length_max(3)
          .rule(is_currency, "Is not an ISO 4217 currency such as EUR."),
      json::texts("tags", &Contact::tags)
          .items_max(limits::kContactTags)
          .element([](json::Schema& tag) { tag.length_min = 1; })
          .example(R"(["vip"])"),
      points(),
      fields(),
      subscription("emailSubscription", &Contact::email_subscription),
      subscription("smsSubscription", &Contact::sms_subscription),
      status("emailStatus", &Contact::email_status),
      status("phoneStatus", &Contact::phone_status),
      consent(),
      json::object("purchases", &Contact::purchases, purchase_totals_json()).read_only(),
      json::instant("sourceUpdatedAt", &Contact::source_updated_at)
          .doc("When the store last changed the contact. A write with an earlier time than the "
               "stored one changes only consent."),
      json::instant("createdAt", &Contact::created_at).read_only(),
      json::instant("updatedAt", &Contact::updated_at).read_only(),
  };
}

}  // namespace

const json::Table<Contact>& contact_json() {
  static const json::Table<Contact> table{"Contact", "A person the store knows.", members()};
  return table;
}

std::vector<Consent> consent_from_json(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"a consent history is not JSON"};
  std::vector<Consent> history;
  json::Reading reading;
  document->root().for_each([&](std::string_view, const Value& entry) {
    consent_json().read_new(entry, reading).apply_to(history.emplace_back());
  });
  return history;
}

}  // namespace shopbell::contacts

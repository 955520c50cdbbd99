#include "resources/webhooks/webhook_json.h"

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::webhooks {

namespace {

using Member = json::Field<Webhook>;

// What is only shown: read-only members are not looked at in a request.
template <class Resource>
json::Field<Resource> shown(std::string name, json::Schema schema,
                            typename json::Field<Resource>::Write write) {
  schema.nullable = true;
  schema.read_only = true;
  return {std::move(name), std::move(schema), std::move(write),
          [](json::Reading&, const json::Value&, const json::Field<Resource>&) ->
          typename json::Field<Resource>::Set { return {}; }};
}

Member kinds() {
  return json::texts("kinds", &Webhook::kinds)
      .items_max(static_cast<std::int64_t>(limits::kWebhookKinds))
      .element([](json::Schema& element) { element.pattern = kinds_pattern(); })
      .rule(names_kinds,
            "Is no kind of event, no group of them such as contact.*, and not custom. "
            "with an alias.")
      .doc(
          "What it is told of: kinds of events, all of a group as `contact.*`, events of the "
          "store's own as `custom.<alias>`. Empty: everything.")
      .restricts()
      .example(R"(["contact.*","purchase.created"])");
}

Member replay() {
  json::Schema schema = replay_json().schema();
  schema.description = "What is being sent again; null when nothing is.";
  return shown<Webhook>(
      "replay", std::move(schema), [](json::Writer& writer, const Webhook& webhook) {
        webhook.replay ? replay_json().write(writer, *webhook.replay) : void(writer.null());
      });
}

std::vector<Member> members() {
  return {
      json::uuid("id", &Webhook::id),
      json::text("url", &Webhook::url)
          .doc("Where to send: outside of the operator's network, on port 80 or 443, unless "
               "the operator allows more.")
          .required()
          .format("uri")
          .length_max(2048)
          .rule(is_web_url, "Is not an http or https URL without user.")
          .example(R"("https://shop.example/hooks/shopbell")"),
      json::text("description", &Webhook::description)
          .doc("For people.")
          .length_max(limits::kDescriptionCharacters)
          .several_lines()
          .example(R"("Keeps the warehouse up to date.")"),
      kinds(),
      outgoing::headers(&Webhook::headers, limits::kWebhookHeaders)
          .doc("Sent along with every event; only their names are shown."),
      json::text("status", &Webhook::status)
          .doc("`paused`: what happens is kept and sent once it is enabled. `disabled`: what "
               "happens is not sent, now or later.")
          .options({"enabled", "paused", "disabled"})
          .default_value(R"("enabled")")
          .restricts(),
      json::text("reason", &Webhook::reason)
          .doc("Why it is not enabled: it was `requested`, nothing was heard of the address for "
               "24 hours (`failing`), or it answered 410 (`gone`).")
          .options({"requested", "failing", "gone"})
          .read_only(),
      json::instant("failingSince", &Webhook::failing_since)
          .doc("Since when nothing but failures came back; null: it is fine.")
          .read_only(),
      replay(),
      json::instant("createdAt", &Webhook::created_at).read_only(),
      json::instant("updatedAt", &Webhook::updated_at).read_only()};
}

json::Field<ShownDelivery> contact() {
  return shown<ShownDelivery>("contactId",
                              {.type = "string",
                               .format = "uuid",
                               .description = "Whom it happened to; null: to no contact."},
                              [](json::Writer& writer, const ShownDelivery& delivery) {
                                delivery.contact_id ? writer.text(delivery.contact_id->to_string())
                                                    : writer.null();
                              });
}

}  // namespace

const json::Table<Webhook>& webhook_json() {
  static const json::Table<Webhook> table{"Webhook", "An address that is told what happens.",
                                          members()};
  return table;
}

const json::Table<Webhook>& created_webhook_json() {
  static const json::Table<Webhook> table{
      "CreatedWebhook", "A webhook, and the secret that was just made for it.", [] {
        auto with_secret = members();
        with_secret.push_back(json::text("signingSecret", &Webhook::signing_secret)
                                  .doc("What is sent is signed by it (Standard Webhooks). It is "
                                       "shown now and never again.")
                                  .read_only());
        return with_secret;
      }()};
  return table;
}

const json::Table<ShownDelivery>& delivery_json() {
  static const json::Table<ShownDelivery> table{
      "WebhookDelivery",
      "An event that a webhook is told of.",
      {json::uuid("id", &ShownDelivery::id).doc("The event's: `webhook-id` of every attempt."),
       json::text("kind", &ShownDelivery::kind), contact(),
       json::integer("sequence", &ShownDelivery::sequence)
           .doc(
               "Its number among what this webhook is told of the contact, from 1, without a gap."),
       json::text("status", &ShownDelivery::status)
           .doc(
               "`waiting`: for its time, or for the one before it. `sending`: now. `delivered`: it "
               "was answered 2xx. `failed`: it was given up.")
           .options({"waiting", "sending", "delivered", "failed"}),
       json::integer("attempts", &ShownDelivery::attempts),
       json::instant("receivedAt", &ShownDelivery::received_at),
       json::instant("nextAttemptAt", &ShownDelivery::next_attempt_at)
           .doc("Null: it has ended, is being sent, or waits for the one before it."),
       json::instant("endedAt", &ShownDelivery::ended_at),
       json::integer("answerStatus", &ShownDelivery::answer_status)
           .doc("Of the last attempt; null: there was no answer, or no attempt."),
       json::text("trouble", &ShownDelivery::trouble)
           .doc("Why the last attempt failed; null: it did not.")
           .length_max(limits::kDescriptionCharacters)}};
  return table;
}

const json::Table<Redelivery>& redelivery_json() {
  static const json::Table<Redelivery> table{
      "WebhookRedelivery",
      "What is to be sent again.",
      {json::text("id", &Redelivery::id)
           .doc("Of the delivery, which is the event's.")
           .required()
           .format("uuid")
           .length_max(36)
           .example(R"("0192f5c0-0000-7000-8000-000000000001")")}};
  return table;
}

const json::Table<Period>& replay_json() {
  static const json::Table<Period> table{
      "WebhookReplay",
      "A time whose events are to be sent again.",
      {json::instant("from", &Period::from)
           .doc("What was received then or later.")
           .required()
           .example(R"("2026-10-01T00:00:00Z")"),
       json::instant("to", &Period::to)
           .doc("What was received before: later than `from`, and not in the future.")
           .required()
           .example(R"("2026-10-02T00:00:00Z")")}};
  return table;
}

}  // namespace shopbell::webhooks

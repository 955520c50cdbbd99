#include "resources/webhooks/webhook_json.h"

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::webhooks {

namespace {

using Member = json::Field<Webhook>;

// Returns a read-only field, which requests ignore.
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
            "Must be a kind of event, a group such as contact.*, or custom. followed by an alias.")
      .doc(
          "The kinds of events to send: single kinds, groups such as `contact.*`, or the store's "
          "own events as `custom.<alias>`. Empty: all events.")
      .restricts()
      .example(R"(["contact.*","purchase.created"])");
}

Member replay() {
  json::Schema schema = replay_json().schema();
  schema.description = "The replay in progress; null if there is none.";
  return shown<Webhook>(
      "replay", std::move(schema), [](json::Writer& writer, const Webhook& webhook) {
        webhook.replay ? replay_json().write(writer, *webhook.replay) : void(writer.null());
      });
}

std::vector<Member> members() {
  return {
      json::uuid("id", &Webhook::id),
      json::text("url", &Webhook::url)
          .doc("The endpoint's URL. It must be outside the operator's network, on port 80 or 443, "
               "unless the operator allows more.")
          .required()
          .format("uri")
          .length_max(2048)
          .rule(is_web_url, "Must be an http or https URL without user information.")
          .example(R"("https://shop.example/hooks/shopbell")"),
      json::text("description", &Webhook::description)
          .doc("A note for people; Shopbell does not use it.")
          .length_max(limits::kDescriptionCharacters)
          .several_lines()
          .example(R"("Keeps the warehouse up to date.")"),
      kinds(),
      outgoing::headers(&Webhook::headers, limits::kWebhookHeaders)
          .doc("Headers sent with every event. Their values are never shown."),
      json::text("status", &Webhook::status)
          .doc("`paused`: events are kept, and sent once the webhook is enabled. `disabled`: "
               "events are not sent, now or later.")
          .options({"enabled", "paused", "disabled"})
          .default_value(R"("enabled")")
          .restricts(),
      json::text("reason", &Webhook::reason)
          .doc("Why it is not enabled: a client set the status (`requested`), all deliveries "
               "failed for 24 hours (`failing`), or the endpoint answered 410 (`gone`).")
          .options({"requested", "failing", "gone"})
          .read_only(),
      json::instant("failingSince", &Webhook::failing_since)
          .doc("Time since which all deliveries have failed; null if the endpoint works.")
          .read_only(),
      replay(),
      json::instant("createdAt", &Webhook::created_at).read_only(),
      json::instant("updatedAt", &Webhook::updated_at).read_only()};
}

json::Field<ShownDelivery> contact() {
  return shown<ShownDelivery>("contactId",
                              {.type = "string",
                               .format = "uuid",
                               .description = "The event's contact; null if it has none."},
                              [](json::Writer& writer, const ShownDelivery& delivery) {
                                delivery.contact_id ? writer.text(delivery.contact_id->to_string())
                                                    : writer.null();
                              });
}

}  // namespace

const json::Table<Webhook>& webhook_json() {
  static const json::Table<Webhook> table{"Webhook", "An endpoint that receives events.",
                                          members()};
  return table;
}

const json::Table<Webhook>& created_webhook_json() {
  static const json::Table<Webhook> table{
      "CreatedWebhook", "A webhook with its new signing secret.", [] {
        auto with_secret = members();
        with_secret.push_back(json::text("signingSecret", &Webhook::signing_secret)
                                  .doc("Requests are signed with it (Standard Webhooks). This is "
                                       "the only time that it is shown.")
                                  .read_only());
        return with_secret;
      }()};
  return table;
}

const json::Table<ShownDelivery>& delivery_json() {
  static const json::Table<ShownDelivery> table{
      "WebhookDelivery",
      "The delivery of an event to a webhook.",
      {json::uuid("id", &ShownDelivery::id)
           .doc("The event's id, sent as `webhook-id` in every "
                "attempt."),
       json::text("kind", &ShownDelivery::kind), contact(),
       json::integer("sequence", &ShownDelivery::sequence)
           .doc("Number of the delivery among those of this webhook and contact: from 1, without "
                "gaps."),
       json::text("status", &ShownDelivery::status)
           .doc("`waiting`: for its next attempt, or for the previous delivery of the contact. "
                "`sending`: in flight. `delivered`: the endpoint answered 2xx. `failed`: it is no "
                "longer retried.")
           .options({"waiting", "sending", "delivered", "failed"}),
       json::integer("attempts", &ShownDelivery::attempts),
       json::instant("receivedAt", &ShownDelivery::received_at),
       json::instant("nextAttemptAt", &ShownDelivery::next_attempt_at)
           .doc("Time of the next attempt; null if the delivery has ended, is in flight, or waits "
                "for the previous one."),
       json::instant("endedAt", &ShownDelivery::ended_at),
       json::integer("answerStatus", &ShownDelivery::answer_status)
           .doc("HTTP status of the last attempt; null if there was no response or no attempt."),
       json::text("trouble", &ShownDelivery::trouble)
           .doc("Why the last attempt failed; null if it did not fail.")
           .length_max(limits::kDescriptionCharacters)}};
  return table;
}

const json::Table<Redelivery>& redelivery_json() {
  static const json::Table<Redelivery> table{
      "WebhookRedelivery",
      "The event to deliver again.",
      {json::text("id", &Redelivery::id)
           .doc("Id of the delivery, which is the event's id.")
           .required()
           .format("uuid")
           .length_max(36)
           .example(R"("0192f5c0-0000-7000-8000-000000000001")")}};
  return table;
}

const json::Table<Period>& replay_json() {
  static const json::Table<Period> table{
      "WebhookReplay",
      "A period whose events are sent again.",
      {json::instant("from", &Period::from)
           .doc("Start of the period, by the time of receipt; inclusive.")
           .required()
           .example(R"("2026-10-01T00:00:00Z")"),
       json::instant("to", &Period::to)
           .doc("End of the period, exclusive. Later than `from`, and not in the future.")
           .required()
           .example(R"("2026-10-02T00:00:00Z")")}};
  return table;
}

}  // namespace shopbell::webhooks

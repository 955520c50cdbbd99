#include "events/event_kinds.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/limits.h"

namespace shopbell::events {

namespace {

json::Schema object_of(std::vector<json::SchemaMember> members) {
  return {.type = "object", .members = std::move(members)};
}

json::Schema uuid(std::string description) {
  return {.type = "string", .format = "uuid", .description = std::move(description)};
}

json::Schema instant(std::string description) {
  return {.type = "string", .format = "date-time", .description = std::move(description)};
}

// Values by member name; a store's own fields add members.
json::Schema values(std::string description) {
  return {.type = "object", .description = std::move(description), .open = true};
}

json::Schema change_of_contact() {
  return object_of(
      {{"changed",
        {.type = "array",
         .description = "The names of the members that changed.",
         .unique_items = true,
         .items = {{.type = "string", .length_min = 1, .length_max = limits::kTextCharacters}}}},
       {"before", values("Their values before; a member that had none is left out.")},
       {"after", values("Their values after; a member that has none is left out.")}});
}

json::Schema change_of_consent() {
  return object_of({{"channel", {.type = "string", .options = {"email", "sms"}}},
                    {"source",
                     {.type = "string",
                      .description = "Where the contact gave or withdrew consent.",
                      .length_min = 1,
                      .length_max = limits::kTextCharacters}}});
}

json::Schema merge() {
  return object_of({{"from", uuid("The contact that was merged into the other.")},
                    {"into", uuid("The contact that remains.")}});
}

json::Schema maybe(json::Schema schema) {
  schema.nullable = true;
  return schema;
}

json::SchemaMember coupon_set() {
  return {"couponSet", {.type = "string", .description = "The set's alias."}};
}

json::Schema coupon(std::vector<json::SchemaMember> more) {
  std::vector<json::SchemaMember> members{
      coupon_set(),
      {"code", {.type = "string", .description = "The code, spelled as in its set."}},
      {"runId", maybe(uuid("The workflow run that assigned it; null if none did."))}};
  std::ranges::move(more, std::back_inserter(members));
  return object_of(std::move(members));
}

// The purchase itself, as the API shows it.
json::Schema purchase() {
  return values("The purchase as it was then, with the members of the resource.");
}

json::Schema product(std::vector<json::SchemaMember> more) {
  std::vector<json::SchemaMember> members{
      {"productId", {.type = "string", .description = "The store's own id."}}};
  std::ranges::move(more, std::back_inserter(members));
  return object_of(std::move(members));
}

json::Schema change_of_product() { return product(change_of_contact().members); }

json::SchemaMember variant() {
  return {"variantId",
          {.type = "string",
           .description = "The store's own id; null for the product as a whole.",
           .nullable = true}};
}

json::Schema price_drop() {
  const json::Schema amount = json::decimal_schema();
  return product({variant(),
                  {"from", amount},
                  {"to", amount},
                  {"currency", {.type = "string"}},
                  {"percent", amount}});
}

json::Schema redemption() {
  return coupon({{"purchaseId", uuid("The purchase that redeemed it.")},
                 {"byOther",
                  {.type = "boolean",
                   .description = "True if it was assigned to another contact than the buyer."}}});
}

json::Schema low_set() {
  return object_of(
      {coupon_set(),
       {"available", {.type = "integer", .description = "The number of codes left."}},
       {"lowWatermark",
        {.type = "integer", .description = "The number of codes at which this event is sent."}}});
}

// The data of the events of a message.
json::Schema message(std::vector<json::SchemaMember> more = {}) {
  std::vector<json::SchemaMember> members{
      {"messageId", uuid("The message.")},
      {"runId", uuid("The run that planned it.")},
      {"workflowId", uuid("The workflow of the run.")},
      {"nodeId", {.type = "string", .description = "The node that planned it."}},
      {"template", {.type = "string", .description = "The template, as the definition names it."}}};
  std::ranges::move(more, std::back_inserter(members));
  return object_of(std::move(members));
}

json::SchemaMember reason(std::string description) {
  return {"reason", {.type = "string", .description = std::move(description)}};
}

// The data of the events of a run.
json::Schema run(std::vector<json::SchemaMember> more = {}) {
  std::vector<json::SchemaMember> members{
      {"runId", uuid("The run.")},
      {"workflowId", uuid("The workflow.")},
      {"version", {.type = "integer", .description = "The version that the run follows."}}};
  std::ranges::move(more, std::back_inserter(members));
  return object_of(std::move(members));
}

std::vector<EventKind> workflow_kinds() {
  return {{"message.planned", "A workflow planned a message.", message()},
          {"message.sent", "A message was sent.", message()},
          {"message.failed", "A message could not be sent.", message({reason("The reason.")})},
          {"message.suppressed", "The contact must not get the message.",
           message({reason("Such as \"no-consent\", \"unsubscribed\" or \"bounced\".")})},
          {"message.skipped", "A message was dropped before it was sent.",
           message({reason("Such as \"late\", \"cap\", \"run-ended\" or \"restarted\".")})},
          {"message.unknown", "Whether a message was sent is unknown.", message()},
          {"workflow.entered", "A contact entered a workflow.", run()},
          {"workflow.completed", "A run came to its end.", run()},
          {"workflow.exited", "A run ended before its end.",
           run({reason("Such as \"exit\", \"merged\" or the reason of an operator.")})},
          {"workflow.converted", "A contact reached the goal of a workflow.", run()}};
}

std::vector<EventKind> make_kinds() {
  std::vector<EventKind> kinds{
      {"contact.created", "A contact was created.", change_of_contact()},
      {"contact.updated", "Members of a contact changed.", change_of_contact()},
      {"contact.subscribed", "A contact opted in to a channel.", change_of_consent()},
      {"contact.unsubscribed", "A contact opted out of a channel.", change_of_consent()},
      {"contact.merged", "Two contacts were merged.", merge()},
      {"contact.deleted", "A contact was deleted.", object_of({})},
      {"purchase.created", "A purchase was created.", purchase()},
      {"purchase.updated", "A purchase was replaced.", change_of_contact()},
      {"purchase.paid", "A purchase was paid.", purchase()},
      {"purchase.fulfilled", "A purchase was handed over for delivery.", purchase()},
      {"purchase.delivered", "A purchase was delivered.", purchase()},
      {"purchase.cancelled", "A purchase was cancelled.", purchase()},
      {"purchase.refunded", "A purchase was refunded.", purchase()},
      {"purchase.deleted", "A purchase was deleted, or moved to another contact.", purchase()},
      {"product.created", "A product was created.", change_of_product()},
      {"product.updated", "Members of a product changed.", change_of_product()},
      {"product.deleted", "A product was deleted.", product({})},
      {"product.price-dropped", "A product or a variant became cheaper.", price_drop()},
      {"product.back-in-stock", "A product or a variant is back in stock.", product({variant()})},
      {"coupon.assigned", "A coupon was assigned to a contact.", coupon({})},
      {"coupon.redeemed", "A purchase redeemed a coupon.", redemption()},
      {"coupon-set.low", "A coupon set has few codes left.", low_set()},
      {"export.finished", "An export has finished, and its file is available.",
       values("The export as it was then, with the members of the resource.")},
      {"import.finished", "The rows of an import were applied.",
       values("The import as it was then, with the members of the resource.")}};
  std::ranges::move(workflow_kinds(), std::back_inserter(kinds));
  return kinds;
}

// The scope of each group of kinds. Custom events are a part of their contact.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kReadScopes{
    {{"contact", "contacts:read"},
     {"coupon", "coupon-sets:read"},
     {"coupon-set", "coupon-sets:read"},
     {"custom", "contacts:read"},
     {"export", "exports:read"},
     {"import", "imports:read"},
     {"message", "workflows:read"},
     {"product", "products:read"},
     {"purchase", "purchases:read"},
     {"workflow", "workflows:read"}}};

}  // namespace

const std::vector<EventKind>& event_kinds() {
  static const std::vector<EventKind> kinds = make_kinds();
  return kinds;
}

const EventKind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(event_kinds(), name, &EventKind::name);
  return found == event_kinds().end() ? nullptr : &*found;
}

std::vector<std::string> read_scopes(std::span<const std::string> kinds) {
  std::set<std::string> scopes;
  for (const auto& [group, scope] : kReadScopes) {
    const bool named = std::ranges::any_of(
        kinds, [&](std::string_view kind) { return kind.substr(0, kind.find('.')) == group; });
    if (named || kinds.empty()) scopes.emplace(scope);
  }
  return {scopes.begin(), scopes.end()};
}

json::Schema envelope_of(const EventKind& kind) {
  json::Schema data = kind.data;
  data.nullable = true;
  data.description = "The data of the event; null once the contact was erased.";
  json::Schema envelope =
      object_of({{"id", uuid("The same for every delivery of the event.")},
                 {"kind", {.type = "string", .options = {kind.name}}},
                 {"occurredAt", instant("When it happened, as the sender reported.")},
                 {"receivedAt", instant("When Shopbell stored it.")},
                 {"contactId",
                  maybe(uuid("The contact of the event, which may have been merged since; null if "
                             "it has none."))},
                 {"data", std::move(data)}});
  envelope.description = kind.description;
  return envelope;
}

json::Schema message_of(const EventKind& kind) {
  json::Schema message = envelope_of(kind);
  const std::vector<json::SchemaMember> owner{
      {"account", {.type = "string", .description = "The account's number, as decimal digits."}},
      {"epoch",
       {.type = "integer",
        .description = "The epoch of the database, incremented after a restore."}}};
  message.members.insert(message.members.begin(), owner.begin(), owner.end());
  return message;
}

namespace {

std::string schemas(std::string_view title, json::Schema (*form)(const EventKind&)) {
  json::Writer writer;
  writer.begin_object();
  writer.key("$schema").text("https://json-schema.org/draft/2020-12/schema");
  writer.key("title").text(title);
  writer.key("oneOf").begin_list();
  for (const auto& kind : event_kinds())
    writer.begin_object().key("$ref").text("#/$defs/" + kind.name).end();
  writer.end();
  writer.key("$defs").begin_object();
  for (const auto& kind : event_kinds()) {
    writer.key(kind.name);
    json::write(writer, form(kind));
  }
  writer.end().end();
  return writer.finish(json::Writer::Layout::indented) + "\n";
}

}  // namespace

std::string event_schemas() { return schemas("Events of Shopbell", envelope_of); }

std::string message_schemas() { return schemas("Messages of Shopbell's stream", message_of); }

}  // namespace shopbell::events

#include "resources/integrations/event_types_operations.h"

#include <format>

#include "base/limits.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/write.h"
#include "outgoing/signing_secret.h"
#include "outgoing/target.h"
#include "resources/integrations/event_type_json.h"
#include "resources/integrations/event_type_store.h"
#include "resources/integrations/integration_store.h"
#include "resources/webhooks/webhook_store.h"

namespace shopbell::integrations {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

constexpr std::string_view kExample =
    R"({"name":"Points redeemed","direction":"receive","alias":"points-redeemed","fields":[)"
    R"({"id":"points","name":"Points","type":"integer","required":true,"min":0},)"
    R"({"id":"shop","name":"Shop","type":"object","fields":[)"
    R"({"id":"city","name":"City","type":"text","maxLength":40}]}]})";

// Returns nullopt if the event type belongs to another integration.
std::optional<EventType> found_below(const pg::Result& result, const Uuid& integration) {
  auto type = found_event_type(result);
  if (type && type->integration_id != integration) return std::nullopt;
  return type;
}

Answer list(operations::Input input) {
  const operations::PageRequest page = operations::read_page_request(input);
  TypeListing listing{.integration = integration_id(input),
                      .after = page.after,
                      .ascending = page.ascending,
                      .limit = page.limit + 1};  // one extra row shows whether another page follows
  const auto types = co_await list_event_types(input.database(), input.scope(), std::move(listing));
  if (!types) throw missing_integration();
  co_return operations::page_output<EventType>(
      input, page, event_type_json(), *types,
      [](const EventType& type) { return type.id.to_string(); });
}

operations::Output insert(const operations::Input& input, EventType& type,
                          const json::Reading& reading, pg::Group& effect) {
  std::optional<std::vector<std::uint8_t>> sealed;
  if (type.sends()) {
    type.signing_secret = outgoing::new_signing_secret();
    sealed = input.keyring().seal(*type.signing_secret,
                                  outgoing::secret_context(input.account(), type.id));
    outgoing::seal_headers(input.keyring(), input.account(), type.id, type.headers);
  }
  insert_event_type(effect, input.account(), type, sealed);
  if (type.status == "disabled")
    webhooks::set_endpoint_state(effect, input.account(), type.id, false, type.created_at);
  operations::Output output =
      operations::resource_output(created_event_type_json(), type, tag_of(type), reading);
  return operations::created(input, std::move(output),
                             std::format("/custom-integrations/{}/custom-event-types/{}",
                                         type.integration_id.to_string(), type.id.to_string()));
}

Answer create(operations::Input input, net::OutsideRules outside) {
  json::Reading reading = input.reading();
  EventType type;
  event_type_json().read_new(input.body(), reading).apply_to(type);
  if (!type.direction.empty()) settle(reading, type);
  outgoing::settle_headers(reading, {}, type.headers);
  if (type.sends() && type.url) outgoing::check_url(reading, *type.url, outside);
  reading.finish();
  if (type.sends()) input.require_scope(outgoing::kScope);
  type.integration_id = integration_id(input);
  pg::Group reads;
  read_integration(reads, input.account(), type.integration_id);
  read_event_type_by_alias(reads, input.account(), type.alias);
  read_event_type_count(reads, input.account());
  co_return co_await operations::write(
      input, std::move(reads),
      [input, type, reading](const operations::Premises& premises, pg::Group& effect) {
        if (!found_integration(premises.results[0])) throw missing_integration();
        const auto existing = found_event_type(premises.results[1]);
        operations::check_conditions(input, existing.transform(tag_of));
        if (existing)
          throw Problem{Code::alias_taken,
                        std::format("Another event type has the alias {}.", *existing->alias)};
        if (found_event_type_count(premises.results[2]) >= limits::kEventTypes)
          throw Problem{
              Code::limit_reached,
              std::format("An account can have at most {} event types.", limits::kEventTypes)};
        EventType made = type;
        made.id = Uuid::v7(premises.now);
        made.created_at = made.updated_at = premises.now;
        settle_status({}, made);
        return insert(input, made, reading, effect);
      });
}

Answer get(operations::Input input) {
  pg::Group reads;
  read_event_type(reads, input.account(), input.path("eventTypeId"));
  const Uuid integration = integration_id(input);
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const auto type = found_below(found[0], integration);
  if (!type) throw missing_event_type();
  co_return operations::resource_output(event_type_json(), *type, tag_of(*type));
}

Answer remove(operations::Input input) {
  pg::Group reads;
  read_event_type(reads, input.account(), input.path("eventTypeId"));
  const Uuid integration = integration_id(input);
  read_type_users(reads, input.account(), input.path("eventTypeId"));
  try {
    co_return co_await operations::write(
        input, std::move(reads),
        [input, integration](const operations::Premises& premises, pg::Group& effect) {
          const auto type = found_below(premises.results[0], integration);
          if (!type) throw missing_event_type();
          operations::check_conditions(input, tag_of(*type));
          const std::string users = found_type_users(premises.results[1]);
          if (users != "[]")
            throw Problem{Code::event_type_in_use, "A workflow uses the event type."}.with_member(
                "usedBy", users);
          delete_event_type(effect, input.account(), *type);
          return operations::Output::no_content();
        });
  } catch (const pg::Error& error) {
    if (!is_in_use(error)) throw;
  }
  throw Problem{Code::event_type_in_use, "A workflow uses the event type."};
}

}  // namespace

Uuid integration_id(const operations::Input& input) {
  const auto id = Uuid::parse(input.path("id"));
  if (!id) throw missing_integration();
  return *id;
}

Problem missing_integration() {
  return Problem{Code::not_found, "There is no such integration or event type."};
}

Problem missing_event_type() {
  return Problem{Code::not_found, "There is no such integration or event type."};
}

// The ETag contains the state of the endpoint, which changes without a new version.
std::string tag_of(const EventType& type) {
  static const std::string shape = operations::shape_of(event_type_json().schema());
  return operations::version_tag(
      type.created_at, type.version,
      std::format("{}.{}.{}", shape, type.status.value_or(""),
                  type.failing_since.transform(to_rfc3339).value_or("")));
}

bool is_in_use(const pg::Error& error) {
  // PostgreSQL reports 23503 for a foreign key; newer versions report 23001 if it has RESTRICT.
  return error.sqlstate() == "23503" || error.sqlstate() == "23001";
}

operations::ResourceOperations event_type_operations() {
  return operations::ResourceOperations{
      .tag = "Custom integrations", .versioned = true, .nested = true}
      .with_answer(event_type_json());
}

std::vector<operations::Operation> event_type_routes(const net::OutsideRules& outside) {
  using operations::Access;
  using operations::Method;
  const auto read = Access::scope("custom-integrations:read");
  const std::string all = "/custom-integrations/{id}/custom-event-types/";
  const std::string one = all + "{eventTypeId}";
  const auto type = event_type_operations();
  return {
      {Method::get, all, read, list,
       type.list("listCustomEventTypes", "List custom event types",
                 "The event types of one integration, newest first.")},
      {Method::post, all, Access::scope("custom-integrations:write"),
       [outside](operations::Input input) { return create(input, outside); },
       type.with_answer(created_event_type_json())
           .create("createCustomEventType", "Create custom event type",
                   "With direction `receive`, events name the type by its alias. With direction "
                   "`send`, the type gets a signing secret, which only this answer shows.",
                   {.body = operations::new_body(event_type_json(), std::string{kExample}),
                    .problems = {Code::alias_taken, Code::limit_reached},
                    .further_scopes = {std::string{outgoing::kScope}}})},
      {Method::get, one, read, get,
       type.get("getCustomEventType", "Get custom event type by Id",
                "One event type, by its id or alias.")},
      {Method::delete_, one, Access::scope("custom-integrations:delete"), remove,
       type.remove("deleteCustomEventType", "Delete custom event type by Id",
                   "Events that were received stay; further events of the type are refused.",
                   {.problems = {Code::event_type_in_use}})}};
}

}  // namespace shopbell::integrations

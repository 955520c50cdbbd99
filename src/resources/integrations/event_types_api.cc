#include "resources/integrations/event_types_api.h"

#include <format>

#include "base/limits.h"
#include "http/answer.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/write.h"
#include "outgoing/signing_secret.h"
#include "outgoing/target.h"
#include "resources/integrations/event_type_json.h"
#include "resources/integrations/event_type_store.h"
#include "resources/integrations/integration_store.h"

namespace shopbell::integrations {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

constexpr std::string_view kExample =
    R"({"name":"Points redeemed","direction":"receive","alias":"points-redeemed","fields":[)"
    R"({"id":"points","name":"Points","type":"integer","required":true,"min":0},)"
    R"({"id":"shop","name":"Shop","type":"object","fields":[)"
    R"({"id":"city","name":"City","type":"text","maxLength":40}]}]})";

// An event type is found only below its own integration.
std::optional<EventType> found_below(const pg::Result& result, const Uuid& integration) {
  auto type = found_event_type(result);
  if (type && type->integration_id != integration) return std::nullopt;
  return type;
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  TypeListing listing{.integration = integration_id(call),
                      .after = wish.after,
                      .ascending = wish.ascending,
                      .limit = wish.limit + 1};  // one more, to see whether there is more
  const auto types = co_await list_event_types(call.database(), call.scope(), std::move(listing));
  if (!types) throw missing_integration();
  co_return http::page_answer<EventType>(call, wish, event_type_json(), *types,
                                         [](const EventType& type) { return type.id.to_string(); });
}

http::Response insert(const http::Call& call, EventType& type, const json::Reading& reading,
                      pg::Group& effect) {
  std::optional<std::vector<std::uint8_t>> sealed;
  if (type.sends()) {
    type.signing_secret = outgoing::new_signing_secret();
    sealed = call.keyring().seal(*type.signing_secret,
                                 outgoing::secret_context(call.account(), type.id));
    outgoing::seal_headers(call.keyring(), call.account(), type.id, type.headers);
  }
  insert_event_type(effect, call.account(), type, sealed);
  http::Response response =
      http::resource_answer(created_event_type_json(), type, tag_of(type), reading);
  response.status = 201;
  response.headers.emplace_back(
      "Location", std::format("{}/custom-integrations/{}/custom-event-types/{}", call.base_path(),
                              type.integration_id.to_string(), type.id.to_string()));
  return response;
}

Answer create(http::Call call, net::OutsideRules outside) {
  json::Reading reading = call.reading();
  EventType type;
  event_type_json().read_new(call.body(), reading).apply_to(type);
  if (!type.direction.empty()) settle(reading, type);
  outgoing::settle_headers(reading, {}, type.headers);
  if (type.sends() && type.url) outgoing::check_url(reading, *type.url, outside);
  reading.finish();
  if (type.sends()) call.require_scope(outgoing::kScope);
  type.integration_id = integration_id(call);
  pg::Group reads;
  read_integration(reads, call.account(), type.integration_id);
  read_event_type_by_alias(reads, call.account(), type.alias);
  read_event_type_count(reads, call.account());
  co_return co_await http::write(
      call, std::move(reads),
      [call, type, reading](const http::Premises& premises, pg::Group& effect) {
        if (!found_integration(premises.results[0])) throw missing_integration();
        const auto existing = found_event_type(premises.results[1]);
        http::check_conditions(call, existing.transform(tag_of));
        if (existing)
          throw Problem{Code::alias_taken,
                        std::format("There is an event type {}.", *existing->alias)};
        if (found_event_type_count(premises.results[2]) >= limits::kEventTypes)
          throw Problem{Code::limit_reached,
                        std::format("An account has at most {} event types.", limits::kEventTypes)};
        EventType made = type;
        made.id = Uuid::v7(premises.now);
        made.created_at = made.updated_at = premises.now;
        return insert(call, made, reading, effect);
      });
}

Answer get(http::Call call) {
  pg::Group reads;
  read_event_type(reads, call.account(), call.path("eventTypeId"));
  const Uuid integration = integration_id(call);
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  const auto type = found_below(found[0], integration);
  if (!type) throw missing_event_type();
  co_return http::resource_answer(event_type_json(), *type, tag_of(*type));
}

Answer remove(http::Call call) {
  pg::Group reads;
  read_event_type(reads, call.account(), call.path("eventTypeId"));
  const Uuid integration = integration_id(call);
  read_type_users(reads, call.account(), call.path("eventTypeId"));
  try {
    co_return co_await http::write(
        call, std::move(reads),
        [call, integration](const http::Premises& premises, pg::Group& effect) {
          const auto type = found_below(premises.results[0], integration);
          if (!type) throw missing_event_type();
          http::check_conditions(call, tag_of(*type));
          const std::string users = found_type_users(premises.results[1]);
          if (users != "[]")
            throw Problem{Code::event_type_in_use, "A workflow uses the event type."}.with_member(
                "usedBy", users);
          delete_event_type(effect, call.account(), *type);
          return http::Response{.status = 204};
        });
  } catch (const pg::Error& error) {
    if (!is_in_use(error)) throw;
  }
  throw Problem{Code::event_type_in_use, "A workflow uses the event type."};
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Custom integrations",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = event_type_json().name(),
          .answer = event_type_json().answer_schema(),
          .versioned = true,
          .problems = {Code::not_found}};
}

http::Operation list_operation() {
  http::Operation described = operation("listCustomEventTypes", "List custom event types",
                                        "All of one integration, newest first.");
  described.answer_name = "CustomEventTypePage";
  described.answer = http::page_schema(event_type_json().name());
  described.versioned = false;
  described.parameters = http::page_parameters();
  described.problems = {Code::not_found, Code::invalid_cursor};
  return described;
}

http::Operation create_operation() {
  http::Operation described =
      operation("createCustomEventType", "Create custom event type",
                "One that receives is named by its alias. One that sends gets a signing secret, "
                "which the answer shows once.");
  described.success = 201;
  described.body = http::Body{.name = "NewCustomEventType",
                              .schema = event_type_json().new_schema(),
                              .example = std::string{kExample}};
  described.answer_name = created_event_type_json().name();
  described.answer = created_event_type_json().answer_schema();
  described.problems = {Code::not_found, Code::alias_taken, Code::limit_reached};
  described.further_scopes = {std::string{outgoing::kScope}};
  return described;
}

http::Operation delete_operation() {
  http::Operation described =
      operation("deleteCustomEventType", "Delete custom event type by Id",
                "Events of the type that came in stay; further ones are refused.");
  described.success = 204;
  described.answer_name.clear();
  described.problems = {Code::not_found, Code::event_type_in_use};
  return described;
}

}  // namespace

Uuid integration_id(const http::Call& call) {
  const auto id = Uuid::parse(call.path("id"));
  if (!id) throw missing_integration();
  return *id;
}

Problem missing_integration() {
  return Problem{Code::not_found, "There is no such integration or event type."};
}

Problem missing_event_type() {
  return Problem{Code::not_found, "There is no such integration or event type."};
}

std::string tag_of(const EventType& type) {
  static const std::string shape = http::shape_of(event_type_json().schema());
  return http::version_tag(type.created_at, type.version, shape);
}

bool is_in_use(const pg::Error& error) {
  // Newer servers tell a reference that forbids deleting from one that merely stands.
  return error.sqlstate() == "23503" || error.sqlstate() == "23001";
}

std::vector<http::Route> event_type_routes(const net::OutsideRules& outside) {
  const auto read = http::Access::scope("custom-integrations:read");
  const std::string all = "/custom-integrations/{id}/custom-event-types/";
  const std::string one = all + "{eventTypeId}";
  return {{http::Method::get, all, read, list, list_operation()},
          {http::Method::post, all, http::Access::scope("custom-integrations:write"),
           [outside](http::Call call) { return create(call, outside); }, create_operation()},
          {http::Method::get, one, read, get,
           operation("getCustomEventType", "Get custom event type by Id",
                     "One event type, by its id or alias.")},
          {http::Method::delete_, one, http::Access::scope("custom-integrations:delete"), remove,
           delete_operation()}};
}

}  // namespace shopbell::integrations

#include "resources/integrations/integrations_api.h"

#include <format>
#include <ranges>

#include "base/limits.h"
#include "base/text.h"
#include "http/answer.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/integrations/event_type_store.h"
#include "resources/integrations/event_types_api.h"
#include "resources/integrations/integration_json.h"
#include "resources/integrations/integration_store.h"
#include "resources/integrations/manage_event_types.h"

namespace shopbell::integrations {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

// The number of event types is shown and is no part of the row, so it is part of the tag.
std::string tag_of(const Integration& integration) {
  static const std::string shape = http::shape_of(integration_json().schema());
  return http::version_tag(integration.created_at, integration.version,
                           std::format("{}.{}", shape, integration.event_type_count));
}

http::Response answer_of(const Integration& integration,
                         const json::Reading& reading = json::Reading{}) {
  return http::resource_answer(integration_json(), integration, tag_of(integration), reading);
}

Problem name_taken(const Integration& integration) {
  return Problem{Code::name_taken, std::format("There is an integration {}.", integration.name)};
}

void settle(Integration& integration) {
  if (integration.color) integration.color = lower_ascii(*integration.color);
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  const auto integrations = co_await list_integrations(call.database(), call.scope(), wish.after,
                                                       wish.ascending, wish.limit + 1);
  co_return http::page_answer<Integration>(
      call, wish, integration_json(), integrations,
      [](const Integration& integration) { return integration.id.to_string(); });
}

Answer create(http::Call call) {
  json::Reading reading = call.reading();
  Integration integration;
  integration_json().read_new(call.body(), reading).apply_to(integration);
  reading.finish();
  settle(integration);
  pg::Group reads;
  read_integration_by_name(reads, call.account(), integration.name);
  read_integration_count(reads, call.account());
  co_return co_await http::write(
      call, std::move(reads),
      [call, integration, reading](const http::Premises& premises, pg::Group& effect) mutable {
        const auto existing = found_integration(premises.results[0]);
        http::check_conditions(call, existing.transform(tag_of));
        if (existing) throw name_taken(*existing);
        if (found_integration_count(premises.results[1]) >= limits::kIntegrations)
          throw Problem{Code::limit_reached, std::format("An account has at most {} integrations.",
                                                         limits::kIntegrations)};
        integration.id = Uuid::v7(premises.now);
        integration.created_at = integration.updated_at = premises.now;
        insert_integration(effect, call.account(), integration);
        http::Response response = answer_of(integration, reading);
        response.status = 201;
        response.headers.emplace_back(
            "Location",
            std::format("{}/custom-integrations/{}", call.base_path(), integration.id.to_string()));
        return response;
      });
}

Answer get(http::Call call) {
  pg::Group reads;
  read_integration(reads, call.account(), integration_id(call));
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  const auto integration = found_integration(found[0]);
  if (!integration) throw missing_integration();
  co_return answer_of(*integration);
}

Answer change(http::Call call) {
  json::Reading reading = call.reading();
  const auto changes = integration_json().read_patch(call.body(), reading);
  reading.finish();
  Integration named;
  changes.apply_to(named);
  pg::Group reads;
  read_integration(reads, call.account(), integration_id(call));
  read_integration_by_name(reads, call.account(),
                           changes.names("name") ? std::optional{named.name} : std::nullopt);
  co_return co_await http::write(
      call, std::move(reads),
      [call, changes, reading](const http::Premises& premises, pg::Group& effect) {
        const auto before = found_integration(premises.results[0]);
        if (!before) throw missing_integration();
        http::check_conditions(call, tag_of(*before));
        const auto same_name = found_integration(premises.results[1]);
        if (same_name && same_name->id != before->id) throw name_taken(*same_name);
        Integration after = *before;
        changes.apply_to(after);
        settle(after);
        if (integration_json().to_json(after) == integration_json().to_json(*before))
          return answer_of(*before, reading);
        after.updated_at = premises.now;
        update_integration(effect, call.account(), after);
        ++after.version;
        return answer_of(after, reading);
      });
}

void refuse_used(const std::string& users) {
  if (users == "[]") return;
  throw Problem{Code::integration_in_use, "A workflow uses an event type of the integration."}
      .with_member("usedBy", users);
}

Answer remove(http::Call call) {
  pg::Group reads;
  read_integration(reads, call.account(), integration_id(call));
  read_type_users(reads, call.account(), integration_id(call));
  try {
    co_return co_await http::write(call, std::move(reads),
                                   [call](const http::Premises& premises, pg::Group& effect) {
                                     const auto found = found_integration(premises.results[0]);
                                     if (!found) throw missing_integration();
                                     http::check_conditions(call, tag_of(*found));
                                     refuse_used(found_type_users(premises.results[1]));
                                     delete_integration(effect, call.account(), *found);
                                     return http::Response{.status = 204};
                                   });
  } catch (const pg::Error& error) {
    if (!is_in_use(error)) throw;
  }
  throw Problem{Code::integration_in_use, "A workflow uses an event type of the integration."};
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Custom integrations",
          .tag_description = "Systems that a store connects by itself, and their event types.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = integration_json().name(),
          .answer = integration_json().answer_schema(),
          .versioned = true,
          .problems = {Code::not_found}};
}

http::Operation list_operation() {
  http::Operation described = operation("listCustomIntegrations", "List custom integrations",
                                        "All of the store's, newest first.");
  described.answer_name = "CustomIntegrationPage";
  described.answer = http::page_schema(integration_json().name());
  described.versioned = false;
  described.parameters = http::page_parameters();
  described.problems = {Code::invalid_cursor};
  return described;
}

http::Operation create_operation() {
  http::Operation described = operation("createCustomIntegration", "Create custom integration",
                                        "It has no event types yet; they are created below it.");
  described.success = 201;
  described.body = http::Body{.name = "NewCustomIntegration",
                              .schema = integration_json().new_schema(),
                              .example = integration_json().example()};
  described.problems = {Code::name_taken, Code::limit_reached};
  return described;
}

http::Operation change_operation() {
  http::Operation described =
      operation("patchCustomIntegration", "Patch custom integration by Id",
                "Turned off by eventsEnabled, events of its types are refused at once.");
  described.body = http::Body{.name = "CustomIntegrationPatch",
                              .schema = integration_json().patch_schema(),
                              .example = R"({"eventsEnabled":false})"};
  described.problems = {Code::not_found, Code::name_taken};
  return described;
}

http::Operation delete_operation() {
  http::Operation described =
      operation("deleteCustomIntegration", "Delete custom integration by Id",
                "Its event types go with it, unless a workflow uses one.");
  described.success = 204;
  described.answer_name.clear();
  described.problems = {Code::not_found, Code::integration_in_use};
  return described;
}

}  // namespace

std::vector<http::Route> routes(const net::OutsideRules& outside) {
  const auto read = http::Access::scope("custom-integrations:read");
  const auto write = http::Access::scope("custom-integrations:write");
  const auto end = http::Access::scope("custom-integrations:delete");
  const std::string one = "/custom-integrations/{id}";
  std::vector<http::Route> all{
      {http::Method::get, "/custom-integrations/", read, list, list_operation()},
      {http::Method::post, "/custom-integrations/", write, create, create_operation()},
      {http::Method::get, one, read, get,
       operation("getCustomIntegration", "Get custom integration by Id", "One integration.")},
      {http::Method::patch, one, write, change, change_operation()},
      {http::Method::delete_, one, end, remove, delete_operation()}};
  std::ranges::move(event_type_routes(outside), std::back_inserter(all));
  std::ranges::move(manage_event_type_routes(outside), std::back_inserter(all));
  return all;
}

}  // namespace shopbell::integrations

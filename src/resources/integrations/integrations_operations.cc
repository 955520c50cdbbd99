#include "resources/integrations/integrations_operations.h"

#include <format>
#include <ranges>

#include "base/limits.h"
#include "base/text.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/integrations/event_type_store.h"
#include "resources/integrations/event_types_operations.h"
#include "resources/integrations/integration_json.h"
#include "resources/integrations/integration_store.h"
#include "resources/integrations/manage_event_types.h"

namespace shopbell::integrations {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

// The ETag contains the row's version and the number of event types: the body shows both, and the
// version does not cover the number.
std::string tag_of(const Integration& integration) {
  static const std::string shape = operations::shape_of(integration_json().schema());
  return operations::version_tag(integration.created_at, integration.version,
                                 std::format("{}.{}", shape, integration.event_type_count));
}

operations::Output answer_of(const Integration& integration,
                             const json::Reading& reading = json::Reading{}) {
  return operations::resource_output(integration_json(), integration, tag_of(integration), reading);
}

Problem name_taken(const Integration& integration) {
  return Problem{Code::name_taken,
                 std::format("Another integration has the name {}.", integration.name)};
}

void settle(Integration& integration) {
  if (integration.color) integration.color = lower_ascii(*integration.color);
}

Answer list(operations::Input input) {
  const operations::PageRequest page = operations::read_page_request(input);
  const auto integrations = co_await list_integrations(input.database(), input.scope(), page.after,
                                                       page.ascending, page.limit + 1);
  co_return operations::page_output<Integration>(
      input, page, integration_json(), integrations,
      [](const Integration& integration) { return integration.id.to_string(); });
}

Answer create(operations::Input input) {
  json::Reading reading = input.reading();
  Integration integration;
  integration_json().read_new(input.body(), reading).apply_to(integration);
  reading.finish();
  settle(integration);
  pg::Group reads;
  read_integration_by_name(reads, input.account(), integration.name);
  read_integration_count(reads, input.account());
  co_return co_await operations::write(
      input, std::move(reads),
      [input, integration, reading](const operations::Premises& premises,
                                    pg::Group& effect) mutable {
        const auto existing = found_integration(premises.results[0]);
        operations::check_conditions(input, existing.transform(tag_of));
        if (existing) throw name_taken(*existing);
        if (found_integration_count(premises.results[1]) >= limits::kIntegrations)
          throw Problem{
              Code::limit_reached,
              std::format("An account can have at most {} integrations.", limits::kIntegrations)};
        integration.id = Uuid::v7(premises.now);
        integration.created_at = integration.updated_at = premises.now;
        insert_integration(effect, input.account(), integration);
        operations::Output output = answer_of(integration, reading);
        return operations::created(
            input, std::move(output),
            std::format("/custom-integrations/{}", integration.id.to_string()));
      });
}

Answer get(operations::Input input) {
  pg::Group reads;
  read_integration(reads, input.account(), integration_id(input));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const auto integration = found_integration(found[0]);
  if (!integration) throw missing_integration();
  co_return answer_of(*integration);
}

Answer change(operations::Input input) {
  json::Reading reading = input.reading();
  const auto changes = integration_json().read_patch(input.body(), reading);
  reading.finish();
  Integration named;
  changes.apply_to(named);
  pg::Group reads;
  read_integration(reads, input.account(), integration_id(input));
  read_integration_by_name(reads, input.account(),
                           changes.names("name") ? std::optional{named.name} : std::nullopt);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, changes, reading](const operations::Premises& premises, pg::Group& effect) {
        const auto before = found_integration(premises.results[0]);
        if (!before) throw missing_integration();
        operations::check_conditions(input, tag_of(*before));
        const auto same_name = found_integration(premises.results[1]);
        if (same_name && same_name->id != before->id) throw name_taken(*same_name);
        Integration after = *before;
        changes.apply_to(after);
        settle(after);
        if (integration_json().to_json(after) == integration_json().to_json(*before))
          return answer_of(*before, reading);
        after.updated_at = premises.now;
        update_integration(effect, input.account(), after);
        ++after.version;
        return answer_of(after, reading);
      });
}

void refuse_used(const std::string& users) {
  if (users == "[]") return;
  throw Problem{Code::integration_in_use, "A workflow uses an event type of the integration."}
      .with_member("usedBy", users);
}

Answer remove(operations::Input input) {
  pg::Group reads;
  read_integration(reads, input.account(), integration_id(input));
  read_type_users(reads, input.account(), integration_id(input));
  try {
    co_return co_await operations::write(
        input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
          const auto found = found_integration(premises.results[0]);
          if (!found) throw missing_integration();
          operations::check_conditions(input, tag_of(*found));
          refuse_used(found_type_users(premises.results[1]));
          delete_integration(effect, input.account(), *found);
          return operations::Output::no_content();
        });
  } catch (const pg::Error& error) {
    if (!is_in_use(error)) throw;
  }
  throw Problem{Code::integration_in_use, "A workflow uses an event type of the integration."};
}

}  // namespace

std::vector<operations::Operation> operation_table(const net::OutsideRules& outside) {
  using operations::Method;
  const auto read = operations::Access::scope("custom-integrations:read");
  const auto write = operations::Access::scope("custom-integrations:write");
  const auto end = operations::Access::scope("custom-integrations:delete");
  const std::string one = "/custom-integrations/{id}";
  const auto integration =
      operations::ResourceOperations{
          .tag = "Custom integrations",
          .tag_description = "Systems that a store connects itself, and their event types.",
          .versioned = true}
          .with_answer(integration_json());
  std::vector<operations::Operation> all{
      {Method::get, "/custom-integrations/", read, list,
       integration.list("listCustomIntegrations", "List custom integrations",
                        "All integrations of the store, newest first.")},
      {Method::post, "/custom-integrations/", write, create,
       integration.create("createCustomIntegration", "Create custom integration",
                          "Creates an integration without event types; create these separately.",
                          {.body = operations::new_body(integration_json()),
                           .problems = {Code::name_taken, Code::limit_reached}})},
      {Method::get, one, read, get,
       integration.get("getCustomIntegration", "Get custom integration by Id",
                       "Returns one integration.")},
      {Method::patch, one, write, change,
       integration.change(
           "patchCustomIntegration", "Patch custom integration by Id",
           "With `eventsEnabled` false, events of its types are refused at once.",
           {.body = operations::patch_body(integration_json(), R"({"eventsEnabled":false})"),
            .problems = {Code::name_taken}})},
      {Method::delete_, one, end, remove,
       integration.remove("deleteCustomIntegration", "Delete custom integration by Id",
                          "Deletes the integration and its event types; refused if a workflow uses "
                          "one of them.",
                          {.problems = {Code::integration_in_use}})}};
  std::ranges::move(event_type_routes(outside), std::back_inserter(all));
  std::ranges::move(manage_event_type_routes(outside), std::back_inserter(all));
  return all;
}

}  // namespace shopbell::integrations

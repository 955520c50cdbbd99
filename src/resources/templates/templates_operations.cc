#include "resources/templates/templates_operations.h"

#include <algorithm>
#include <format>
#include <iterator>

#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/templates/content_check.h"
#include "resources/templates/content_operations.h"
#include "resources/templates/template_json.h"
#include "resources/templates/template_store.h"

namespace shopbell::templates {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

operations::Output answer_of(const Template& message,
                             const json::Reading& reading = json::Reading{}) {
  return operations::resource_output(template_json(), message, tag_of(message), reading);
}

Answer list(operations::Input input) {
  const operations::PageRequest request = operations::read_page_request(input);
  const auto templates = co_await list_templates(input.database(), input.scope(), request.after,
                                                 request.ascending, request.limit + 1);
  co_return operations::page_output<Template>(
      input, request, template_json(), templates,
      [](const Template& message) { return message.id.to_string(); });
}

Answer create(operations::Input input) {
  json::Reading reading = input.reading();
  Template message;
  template_json().read_new(input.body(), reading).apply_to(message);
  check_new_content(reading, message);
  reading.finish();
  if (input.parameter("publish") == "true") {
    check_new_publishable(reading, message);
    refuse_invalid(reading);
    if (message.content) message.published_version = 1;
  }
  pg::Group reads;
  read_new_template(reads, input.account(), message);
  co_return co_await operations::write(
      input, std::move(reads),
      [input, message, reading](const operations::Premises& premises, pg::Group& effect) mutable {
        operations::check_conditions(
            input, found_template(premises.results[0]).transform([](const Found& there) {
              return tag_of(there.message);
            }));
        create_template(effect, input.account(), message, premises.results, premises.now);
        operations::Output output = answer_of(message, reading);
        return operations::created(input, std::move(output),
                                   std::format("/manage/templates/{}", message.id.to_string()));
      });
}

Answer get(operations::Input input) {
  pg::Group reads;
  read_template(reads, input.account(), input.path("id"));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  co_return answer_of(existing_template(found[0]).message);
}

Answer remove(operations::Input input) {
  pg::Group reads;
  read_template(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
        const Found found = existing_template(premises.results[0]);
        operations::check_conditions(input, tag_of(found.message));
        delete_template(effect, input.account(), found);
        return operations::Output::no_content(found.message.id);
      });
}

operations::Body new_template_body() {
  operations::Body body = operations::new_body(template_json());
  body.bytes_max = limits::kTemplateBytes;
  return body;
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  using operations::Access;
  using operations::Method;
  const auto read = Access::scope("manage-templates:read");
  const auto message =
      operations::ResourceOperations{
          .tag = "Templates", .tag_description = "Templates of messages.", .versioned = true}
          .with_answer(template_json());
  std::vector<operations::Operation> operations{
      {Method::get, "/manage/templates/", read, list,
       message.list("listTemplates", "List templates", "Newest first.")},
      {Method::post, "/manage/templates/", Access::scope("manage-templates:write"), create,
       message.create(
           "createTemplate", "Create a template",
           "Workflow definitions can then refer to it. A template without a content is "
           "only a name.",
           {.body = new_template_body(),
            .parameters = {{"publish",
                            "Publish the content at once.",
                            {.type = "boolean", .default_value = "false"}}},
            .problems = {Code::alias_taken, Code::limit_reached, Code::template_invalid}})},
      {Method::get, "/manage/templates/{id}", read, get,
       message.get("getTemplate", "Get a template", "Accepts its id or its alias.")},
      {Method::delete_, "/manage/templates/{id}", Access::scope("manage-templates:delete"), remove,
       message.remove("deleteTemplate", "Delete a template", "Refused while a workflow uses it.",
                      {.problems = {Code::template_in_use}})}};
  std::ranges::move(content_routes(message), std::back_inserter(operations));
  return operations;
}

}  // namespace shopbell::templates

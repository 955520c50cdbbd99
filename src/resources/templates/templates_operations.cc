#include "resources/templates/templates_operations.h"

#include <format>

#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/write.h"
#include "resources/templates/template_json.h"
#include "resources/templates/template_store.h"

namespace shopbell::templates {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

std::string tag_of(const Template& message) {
  static const std::string shape = operations::shape_of(template_json().schema());
  return operations::version_tag(message.created_at, message.version, shape);
}

operations::Output answer_of(const Template& message,
                             const json::Reading& reading = json::Reading{}) {
  return operations::resource_output(template_json(), message, tag_of(message), reading);
}

Found existing(const pg::Result& result) {
  auto found = found_template(result);
  if (!found) throw Problem{Code::not_found, "There is no template with this id or alias."};
  return std::move(*found);
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
  reading.finish();
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
  co_return answer_of(existing(found[0]).message);
}

Answer remove(operations::Input input) {
  pg::Group reads;
  read_template(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
        const Found found = existing(premises.results[0]);
        operations::check_conditions(input, tag_of(found.message));
        delete_template(effect, input.account(), found);
        return operations::Output::no_content(found.message.id);
      });
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
  return {
      {Method::get, "/manage/templates/", read, list,
       message.list("listTemplates", "List templates", "Newest first.")},
      {Method::post, "/manage/templates/", Access::scope("manage-templates:write"), create,
       message.create("createTemplate", "Create a template",
                      "Workflow definitions can then refer to it.",
                      {.body = operations::new_body(template_json()),
                       .problems = {Code::alias_taken, Code::limit_reached}})},
      {Method::get, "/manage/templates/{id}", read, get,
       message.get("getTemplate", "Get a template", "Accepts its id or its alias.")},
      {Method::delete_, "/manage/templates/{id}", Access::scope("manage-templates:delete"), remove,
       message.remove("deleteTemplate", "Delete a template", "Refused while a workflow uses it.",
                      {.problems = {Code::template_in_use}})}};
}

}  // namespace shopbell::templates

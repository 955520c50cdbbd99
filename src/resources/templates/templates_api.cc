#include "resources/templates/templates_api.h"

#include <format>

#include "http/answer.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/write.h"
#include "resources/templates/template_json.h"
#include "resources/templates/template_store.h"

namespace shopbell::templates {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

std::string tag_of(const Template& message) {
  static const std::string shape = http::shape_of(template_json().schema());
  return http::version_tag(message.created_at, message.version, shape);
}

http::Response answer_of(const Template& message, const json::Reading& reading = json::Reading{}) {
  return http::resource_answer(template_json(), message, tag_of(message), reading);
}

Found existing(const pg::Result& result) {
  auto found = found_template(result);
  if (!found) throw Problem{Code::not_found, "There is no template of that id or alias."};
  return std::move(*found);
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  const auto templates = co_await list_templates(call.database(), call.scope(), wish.after,
                                                 wish.ascending, wish.limit + 1);
  co_return http::page_answer<Template>(
      call, wish, template_json(), templates,
      [](const Template& message) { return message.id.to_string(); });
}

Answer create(http::Call call) {
  json::Reading reading = call.reading();
  Template message;
  template_json().read_new(call.body(), reading).apply_to(message);
  reading.finish();
  pg::Group reads;
  read_new_template(reads, call.account(), message);
  co_return co_await http::write(
      call, std::move(reads),
      [call, message, reading](const http::Premises& premises, pg::Group& effect) mutable {
        http::check_conditions(
            call, found_template(premises.results[0]).transform([](const Found& there) {
              return tag_of(there.message);
            }));
        create_template(effect, call.account(), message, premises.results, premises.now);
        http::Response response = answer_of(message, reading);
        response.status = 201;
        response.headers.emplace_back(
            "Location",
            std::format("{}/manage/templates/{}", call.base_path(), message.id.to_string()));
        return response;
      });
}

Answer get(http::Call call) {
  pg::Group reads;
  read_template(reads, call.account(), call.path("id"));
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  co_return answer_of(existing(found[0]).message);
}

Answer remove(http::Call call) {
  pg::Group reads;
  read_template(reads, call.account(), call.path("id"));
  co_return co_await http::write(call, std::move(reads),
                                 [call](const http::Premises& premises, pg::Group& effect) {
                                   const Found found = existing(premises.results[0]);
                                   http::check_conditions(call, tag_of(found.message));
                                   delete_template(effect, call.account(), found);
                                   return http::Response{.status = 204};
                                 });
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Templates",
          .tag_description = "What messages are made of.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = template_json().name(),
          .answer = template_json().answer_schema(),
          .versioned = true,
          .problems = {Code::not_found}};
}

http::Operation list_operation() {
  http::Operation described = operation("listTemplates", "List templates", "Newest first.");
  described.parameters = http::page_parameters();
  described.answer_name = "TemplatePage";
  described.answer = http::page_schema(template_json().name());
  described.versioned = false;
  described.problems = {Code::invalid_cursor};
  return described;
}

http::Operation create_operation() {
  http::Operation described =
      operation("createTemplate", "Create a template", "Definitions can name it from now on.");
  described.success = 201;
  described.body = http::Body{.name = "NewTemplate",
                              .schema = template_json().new_schema(),
                              .example = template_json().example()};
  described.problems = {Code::alias_taken, Code::limit_reached};
  return described;
}

http::Operation delete_operation() {
  http::Operation described =
      operation("deleteTemplate", "Delete a template", "Unless a workflow uses it.");
  described.success = 204;
  described.answer_name.clear();
  described.problems = {Code::not_found, Code::template_in_use};
  return described;
}

}  // namespace

std::vector<http::Route> routes() {
  const auto read = http::Access::scope("manage-templates:read");
  using http::Method;
  return {{Method::get, "/manage/templates/", read, list, list_operation()},
          {Method::post, "/manage/templates/", http::Access::scope("manage-templates:write"),
           create, create_operation()},
          {Method::get, "/manage/templates/{id}", read, get,
           operation("getTemplate", "Get a template", "By its id or its alias.")},
          {Method::delete_, "/manage/templates/{id}",
           http::Access::scope("manage-templates:delete"), remove, delete_operation()}};
}

}  // namespace shopbell::templates

#include "resources/templates/content_operations.h"

#include <charconv>
#include <format>

#include "base/limits.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/write.h"
#include "resources/templates/content_check.h"
#include "resources/templates/content_json.h"
#include "resources/templates/preview_operation.h"
#include "resources/templates/template_json.h"
#include "resources/templates/template_store.h"

namespace shopbell::templates {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

operations::Output content_answer(const Content& content, const Template& message,
                                  const json::Reading& reading = json::Reading{}) {
  operations::Output output =
      operations::resource_output(content_json(), content, tag_of(message), reading);
  output.object = message.id;  // the path may have the alias
  return output;
}

std::optional<std::int64_t> wanted_version(const operations::Input& input) {
  const auto text = input.parameter("version");
  if (!text) return std::nullopt;
  std::int64_t version = 0;
  std::from_chars(text->data(), text->data() + text->size(), version);
  return version;
}

Answer get_content(operations::Input input) {
  const auto version = wanted_version(input);
  pg::Group reads;
  read_template(reads, input.account(), input.path("id"));
  read_content(reads, input.account(), input.path("id"), version);
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  const Template message = existing_template(found[0]).message;
  const auto content = found_content(found[1], message);
  if (!content) throw missing_content(version);
  co_return content_answer(*content, message);
}

Answer put_content(operations::Input input) {
  json::Reading reading = input.reading();
  Content sent;
  content_json().read_new(input.body(), reading).apply_to(sent);
  check_content(reading, sent);
  reading.finish();
  pg::Group reads;
  read_template(reads, input.account(), input.path("id"));
  co_return co_await operations::write(
      input, std::move(reads),
      [input, sent, reading](const operations::Premises& premises, pg::Group& effect) {
        Template message = existing_template(premises.results[0]).message;
        operations::check_conditions(input, tag_of(message));
        Content draft = sent;
        save_draft(effect, input.account(), message, draft, premises.now);
        return content_answer(draft, message, reading);
      });
}

Answer publish_content(operations::Input input) {
  pg::Group reads;
  read_template(reads, input.account(), input.path("id"));
  read_content(reads, input.account(), input.path("id"), std::nullopt);
  co_return co_await operations::write(
      input, std::move(reads), [input](const operations::Premises& premises, pg::Group& effect) {
        Template message = existing_template(premises.results[0]).message;
        operations::check_conditions(input, tag_of(message));
        auto content = found_content(premises.results[1], message);
        if (!content) throw missing_content(std::nullopt);
        if (content->status == "published") return content_answer(*content, message);  // no draft
        json::Reading reading;
        check_publishable(reading, *content);
        refuse_invalid(reading);
        publish_draft(effect, input.account(), message, *content, premises.now);
        return content_answer(*content, message);
      });
}

Answer list_all_versions(operations::Input input) {
  const operations::PageRequest page = operations::read_page_request(input);
  pg::Group reads;
  read_template(reads, input.account(), input.path("id"));
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  Template message = existing_template(found[0]).message;
  const auto versions = co_await list_versions(
      input.database(), input.scope(), std::move(message),
      {.after = page.after, .ascending = page.ascending, .limit = page.limit + 1});
  co_return operations::page_output<Content>(
      input, page, version_json(), versions,
      [](const Content& version) { return std::to_string(version.version); });
}

operations::Body content_body() {
  operations::Body body = operations::new_body(content_json());
  body.bytes_max = limits::kTemplateBytes;
  return body;
}

operations::QueryParameter version_parameter() {
  return {"version",
          "Number of a version; default: the draft, else the published version.",
          {.type = "integer", .minimum = 1, .maximum = limits::kTemplateVersions}};
}

}  // namespace

std::vector<operations::Operation> content_routes(const operations::ResourceOperations& message) {
  using operations::Method;
  const auto read = operations::Access::scope("manage-templates:read");
  const auto write = operations::Access::scope("manage-templates:write");
  const std::string one = "/manage/templates/{id}";
  auto content = message;
  content.resource.clear();
  content.nested = true;
  auto version = content.with_answer(version_json());
  version.page_item = version_json().schema();
  content = content.with_answer(content_json());
  operations::Description shown =
      content.get("getTemplateContent", "Get the content of a template",
                  "The draft or else the published version, unless a version is named. Not found "
                  "if there is none.");
  shown.parameters = {version_parameter()};
  return {{Method::get, one + "/content", read, get_content, std::move(shown)},
          {Method::put, one + "/content", write, put_content,
           content.change("saveTemplateContent", "Save the content of a template",
                          "Replaces the draft; the published version does not change. All errors "
                          "of the Liquid are reported, with line and column.",
                          {.body = content_body(), .problems = {Code::limit_reached}})},
          {Method::post, one + "/publish", write, publish_content,
           content.change("publishTemplate", "Publish a template",
                          "The draft becomes the published version, which never changes. Each "
                          "locale needs a subject and an HTML or text part. A marketing message "
                          "must show `{{ unsubscribe_url }}`.",
                          {.problems = {Code::template_invalid}})},
          {Method::get, one + "/versions/", read, list_all_versions,
           version.list("listTemplateVersions", "List the versions of a template",
                        "Newest first, without their contents.")},
          {Method::post, one + "/preview", read, preview_template, preview_description(message)}};
}

}  // namespace shopbell::templates

#include "resources/templates/template_json.h"

#include "base/text.h"
#include "operations/conditions.h"
#include "resources/templates/content_json.h"

namespace shopbell::templates {

namespace {

// The content of a new template. Answers do not have it: it may be large.
json::Field<Template> new_content() {
  json::Schema sent = written_content_json().new_schema();
  sent.description = "The first version of the content: a draft, or published with `publish`.";
  sent.example = written_content_json().example();
  return json::Field<Template>{
      "content", written_content_json().schema(), [](json::Writer&, const Template&) {},
      [](json::Reading& reading, const json::Value& value,
         const json::Field<Template>&) -> json::Field<Template>::Set {
        return [changes = written_content_json().read_new(value, reading)](Template& message) {
          changes.apply_to(message.content.emplace());
        };
      }}
      .write_only()
      .restricts()
      .example(written_content_json().example())
      .sent_as(std::move(sent));
}

}  // namespace

const json::Table<Template>& template_json() {
  static const json::Table<Template> table{
      "Template",
      "A template of messages.",
      {json::uuid("id", &Template::id),
       json::text("alias", &Template::alias)
           .doc("Identifies the template in workflow definitions and in place of its id.")
           .required()
           .length_max(64)
           .pattern("^[a-z][a-z0-9-]{0,63}$")
           .rule(is_alias,
                 "Must start with a lowercase letter and contain only lowercase letters, digits "
                 "and -.")
           .example(R"("cart-reminder")"),
       json::text("name", &Template::name)
           .doc("The display name.")
           .required()
           .length_min(1)
           .example(R"("Cart reminder")"),
       new_content(),
       json::integer("publishedVersion", &Template::published_version)
           .doc("The version that messages use; null: none is published.")
           .read_only(),
       json::integer("draftVersion", &Template::draft_version)
           .doc("The version that is not published yet; null: there is none.")
           .read_only(),
       json::instant("createdAt", &Template::created_at).read_only(),
       json::instant("updatedAt", &Template::updated_at).read_only()}};
  return table;
}

std::string tag_of(const Template& message) {
  static const std::string shape = operations::shape_of(template_json().schema()) +
                                   operations::shape_of(content_json().schema());
  return operations::version_tag(message.created_at, message.version, shape);
}

}  // namespace shopbell::templates

#include "resources/templates/template_json.h"

#include "base/text.h"

namespace shopbell::templates {

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
       json::instant("createdAt", &Template::created_at).read_only(),
       json::instant("updatedAt", &Template::updated_at).read_only()}};
  return table;
}

}  // namespace shopbell::templates

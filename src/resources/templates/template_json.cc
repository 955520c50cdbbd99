#include "resources/templates/template_json.h"

#include "base/text.h"

namespace shopbell::templates {

const json::Table<Template>& template_json() {
  static const json::Table<Template> table{
      "Template",
      "What messages are made of.",
      {json::uuid("id", &Template::id),
       json::text("alias", &Template::alias)
           .doc("Names the template in definitions, and wherever its id can stand.")
           .required()
           .length_max(64)
           .pattern("^[a-z][a-z0-9-]{0,63}$")
           .rule(is_alias, "Must start with a small letter and go on with those, digits and -.")
           .example(R"("cart-reminder")"),
       json::text("name", &Template::name)
           .doc("For people.")
           .required()
           .length_min(1)
           .example(R"("Cart reminder")"),
       json::instant("createdAt", &Template::created_at).read_only(),
       json::instant("updatedAt", &Template::updated_at).read_only()}};
  return table;
}

}  // namespace shopbell::templates

#include "resources/contact_fields/contact_field_json.h"

#include <stdexcept>

#include "base/limits.h"

namespace shopbell::contact_fields {

namespace {

bool is_free_id(std::string_view text) { return is_field_id(text) && !is_reserved(text); }

}  // namespace

const json::Table<Option>& option_json() {
  static const json::Table<Option> table{
      "ContactFieldOption",
      "An option of a choice field.",
      {json::text("id", &Option::id).required().length_min(1).length_max(64).example(R"("silver")"),
       json::text("label", &Option::label).required().length_min(1).example(R"("Silver")")}};
  return table;
}

const json::Table<ContactField>& contact_field_json() {
  static const json::Table<ContactField> table{
      "ContactField",
      "A field of contacts.",
      {json::text("id", &ContactField::id)
           .doc("Chosen when the field is created; identifies it everywhere in the API.")
           .required()
           .length_max(64)
           .pattern("^[a-z][a-zA-Z0-9_]{0,63}$")
           .rule(is_free_id,
                 "Must start with a lowercase letter, contain only letters, digits and "
                 "underscores, and not be the name of a built-in field or member of a contact.")
           .example(R"("loyaltyLevel")"),
       json::text("name", &ContactField::name)
           .doc("The display name.")
           .required()
           .length_min(1)
           .example(R"("Loyalty level")"),
       json::text("type", &ContactField::type)
           .required()
           .options(field_types())
           .example(R"("choice")"),
       json::boolean("indexed", &ContactField::indexed)
           .doc("True: contacts can be filtered by the field. At most 20 fields are indexed.")
           .default_value("false")
           .example("true"),
       json::boolean("required", &ContactField::required)
           .doc("True: null is refused. Needs a defaultValue, which every contact then has.")
           .default_value("false"),
       json::any("defaultValue", &ContactField::default_value)
           .doc("A value of the field's own type.")
           .example(R"("silver")"),
       json::objects("options", &ContactField::options, option_json(), limits::kFieldOptions)
           .doc("The options to choose from; types choice and choices only.")
           .example(R"([{"id":"silver","label":"Silver"},{"id":"gold","label":"Gold"}])"),
       json::integer("maxLength", &ContactField::max_length)
           .doc("The maximum number of characters; type text only. Null: 5,000.")
           .minimum(1)
           .maximum(limits::kFieldTextCharacters),
       json::any("min", &ContactField::min)
           .doc("The minimum; types integer, decimal, date and dateTime only."),
       json::any("max", &ContactField::max)
           .doc("The maximum; types integer, decimal, date and dateTime only."),
       json::boolean("builtIn", &ContactField::built_in)
           .doc("Every contact has it; it cannot be changed or deleted.")
           .read_only(),
       json::instant("createdAt", &ContactField::created_at).read_only(),
       json::instant("updatedAt", &ContactField::updated_at).read_only()}};
  return table;
}

std::string options_to_json(const std::vector<Option>& options) {
  json::Writer writer;
  writer.begin_list();
  for (const auto& option : options) option_json().write(writer, option);
  writer.end();
  return writer.finish();
}

std::vector<Option> options_from_json(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"stored options are not JSON"};
  std::vector<Option> options;
  json::Reading reading;
  document->root().for_each([&](std::string_view, const json::Value& element) {
    option_json().read_new(element, reading).apply_to(options.emplace_back());
  });
  return options;
}

}  // namespace shopbell::contact_fields

#include "resources/integrations/integration_json.h"

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::integrations {

namespace {

bool is_color(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

}  // namespace

const json::Table<Integration>& integration_json() {
  static const json::Table<Integration> table{
      "CustomIntegration",
      "A system that the store connects itself.",
      {json::uuid("id", &Integration::id),
       json::text("name", &Integration::name)
           .doc("Display name; unique in the account.")
           .required()
           .length_min(1)
           .example(R"("Point of sale")"),
       json::text("description", &Integration::description)
           .length_max(limits::kDescriptionCharacters)
           .several_lines()
           .example(R"("Reports what is sold in the shop.")"),
       json::text("color", &Integration::color)
           .doc("Display color.")
           .length_max(7)
           .pattern("^#[0-9a-fA-F]{6}$")
           .rule(is_color, "Is not a color such as #1a2b3c.")
           .example(R"("#1a2b3c")"),
       json::text("imageUrl", &Integration::image_url)
           .format("uri")
           .length_max(2048)
           .rule(is_web_url, "Is not an http or https URL without a user.")
           .example(R"("https://pos.example/logo.png")"),
       json::boolean("eventsEnabled", &Integration::events_enabled)
           .doc("Whether events of its types are accepted.")
           .default_value("true"),
       json::integer("eventTypeCount", &Integration::event_type_count)
           .doc("Number of its event types.")
           .read_only(),
       json::instant("createdAt", &Integration::created_at).read_only(),
       json::instant("updatedAt", &Integration::updated_at).read_only()}};
  return table;
}

}  // namespace shopbell::integrations

#include "operations/trigger.h"

namespace shopbell::operations {

QueryParameter trigger_parameter() {
  return {"triggerWorkflows",
          "Which workflows the event of this write may trigger: `all` (or `true`), `exitsOnly` (or "
          "`false`), `none`.",
          {.type = "string", .options = {"all", "exitsOnly", "none", "true", "false"}}};
}

events::Trigger trigger_of(const Input& input) {
  return trigger_from(input.parameter("triggerWorkflows").value_or("all"));
}

events::Trigger trigger_from(std::string_view text) {
  if (text == "exitsOnly" || text == "false") return events::Trigger::exits;
  if (text == "none") return events::Trigger::none;
  return events::Trigger::all;
}

}  // namespace shopbell::operations

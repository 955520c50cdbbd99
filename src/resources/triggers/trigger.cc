#include "resources/triggers/trigger.h"

namespace shopbell::triggers {

http::QueryParameter trigger_parameter() {
  return {"triggerWorkflows",
          "What the event of this write may set in motion: `all` (or `true`), `exitsOnly` (or "
          "`false`), `none`.",
          {.type = "string", .options = {"all", "exitsOnly", "none", "true", "false"}}};
}

events::Trigger trigger_of(const http::Call& call) {
  return trigger_from(call.parameter("triggerWorkflows").value_or("all"));
}

events::Trigger trigger_from(std::string_view wish) {
  if (wish == "exitsOnly" || wish == "false") return events::Trigger::exits;
  if (wish == "none") return events::Trigger::none;
  return events::Trigger::all;
}

}  // namespace shopbell::triggers

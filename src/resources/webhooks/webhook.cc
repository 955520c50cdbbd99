#include "resources/webhooks/webhook.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "events/event_kinds.h"

namespace shopbell::webhooks {

namespace {

constexpr std::string_view kCustom = "custom.";

// Returns the group of a kind: "contact." for "contact.created".
std::string_view group_of(std::string_view kind) { return kind.substr(0, kind.find('.') + 1); }

}  // namespace

bool names_kinds(std::string_view text) {
  const std::string_view group = group_of(text);
  if (group.empty()) return false;
  if (group == kCustom) {
    text.remove_prefix(group.size());
    return text == "*" || is_alias(text);
  }
  if (text.substr(group.size()) != "*") return events::find_kind(text) != nullptr;
  return std::ranges::any_of(events::event_kinds(), [&](const events::EventKind& kind) {
    return kind.name.starts_with(group);
  });
}

std::string kinds_pattern() {
  std::set<std::string> names;
  for (const auto& kind : events::event_kinds()) {
    const std::string_view group = group_of(kind.name);
    const std::string begin = std::string{group.substr(0, group.size() - 1)} + "\\.";
    names.insert(begin + "\\*");
    names.insert(begin + kind.name.substr(group.size()));
  }
  std::string pattern = "^(custom\\.(\\*|[a-z][a-z0-9-]{0,63})";
  for (const auto& name : names) pattern += "|" + name;
  return pattern + ")$";
}

void settle_status(const Webhook& before, Webhook& after) {
  if (after.status != before.status)
    after.reason = after.is_enabled() ? std::nullopt : std::optional<std::string>{"requested"};
  // Reset the failure: failures of the old URL do not count for the new one.
  if ((after.status != before.status && after.is_enabled()) || after.url != before.url)
    after.failing_since.reset();
}

}  // namespace shopbell::webhooks

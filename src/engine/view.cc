#include "engine/view.h"

#include <algorithm>

#include "json/writer.h"

namespace shopbell::engine {

Value View::read(const Reference& reference) const {
  if (const auto value = computed(reference)) return *value;
  const auto found = find(reference);
  return found ? read_value(*found, reference.kind) : Value{Missing{}};
}

std::string View::read_json(const Reference& reference) const {
  if (const auto value = computed(reference)) {
    json::Writer writer;
    const auto text = text_of(*value);
    text ? writer.text(*text) : writer.null();
    return writer.finish();
  }
  const auto found = find(reference);
  return found ? found->to_json() : "null";
}

// Values that are members of the run and not JSON.
std::optional<Value> View::computed(const Reference& reference) const {
  if (reference.root == Reference::Root::schedule) {
    if (schedule_date.empty()) return Missing{};
    return reference.path == "year" ? schedule_date.substr(0, 4) : schedule_date;
  }
  if (reference.root != Reference::Root::run) return std::nullopt;
  if (run == nullptr) return Missing{};
  if (reference.path == "id") return run->id.to_string();
  if (reference.path == "key") return run->key.empty() ? Value{Missing{}} : Value{run->key};
  if (reference.path == "startedAt") return run->started_at;
  return std::nullopt;
}

std::optional<json::Value> View::find(const Reference& reference) const {
  const auto below = [&](const Data& data) { return value_at(data.root(), reference.path); };
  switch (reference.root) {
    case Reference::Root::contact:
      return below(contact);
    case Reference::Root::store:
      return below(store);
    case Reference::Root::event:
      return below(event);
    case Reference::Root::item:
      return value_at(item, reference.path);
    case Reference::Root::trigger:
      return run == nullptr ? std::nullopt : below(run->trigger);
    case Reference::Root::run: {  // only "item" is left
      constexpr std::string_view kItem = "item";
      const std::size_t end = std::min(kItem.size() + 1, reference.path.size());
      if (run == nullptr) return std::nullopt;
      return value_at(run->item.root(), std::string_view{reference.path}.substr(end));
    }
    case Reference::Root::variable: {
      const auto dot = std::min(reference.path.find('.'), reference.path.size());
      const std::string_view path{reference.path};
      if (run == nullptr) return std::nullopt;
      const auto found = run->variables.find(path.substr(0, dot));
      if (found == run->variables.end()) return std::nullopt;
      return value_at(found->second.root(), path.substr(std::min(dot + 1, path.size())));
    }
    case Reference::Root::schedule:
      break;
  }
  return std::nullopt;
}

}  // namespace shopbell::engine

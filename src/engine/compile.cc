#include <algorithm>
#include <array>
#include <stdexcept>

#include "engine/definition.h"
#include "engine/members.h"
#include "engine/node_compile.h"

namespace shopbell::engine {

namespace {

Schedule compile_schedule(const json::Value& source) {
  Schedule schedule;
  schedule.at = clock_member(source, "at").value_or(std::chrono::minutes{});
  schedule.every = text_member(source, "every");
  schedule.on = text_member(source, "on");
  schedule.in_store_zone = text_member(source, "zone") == "store";
  schedule.becomes_true = text_member(source, "mode") == "becomesTrue";
  schedule.include_existing = flag_member(source, "includeExisting");
  return schedule;
}

Trigger compile_trigger(const json::Value& source, const NodeCompiler& compiler) {
  Trigger trigger;
  trigger.event = text_member(source, "event");
  ReferenceTypes types = compiler.types;
  types.in_run = false;
  if (!trigger.event.empty()) types.event = compiler.type_of_event(trigger.event);
  auto where = source.member("where");
  if (const auto schedule = source.member("schedule")) {
    trigger.schedule = compile_schedule(*schedule);
    where = schedule->member("where");
  }
  if (where) trigger.where = compile_condition(*where, types, compiler.known.events);
  if (const auto key = source.member("key")) trigger.key = compile_reference(key->text(), types);
  if (const auto each = source.member("each"))
    trigger.each = compile_reference(each->text(), types);
  if (const auto age = duration_member(source, "maxAge")) trigger.age_max = *age;
  return trigger;
}

Reentry compile_reentry(const std::optional<json::Value>& source, bool has_key) {
  constexpr std::array<std::pair<std::string_view, Reentry::Mode>, 5> kModes{
      {{"once", Reentry::Mode::once},
       {"perKey", Reentry::Mode::per_key},
       {"afterExit", Reentry::Mode::after_exit},
       {"always", Reentry::Mode::always},
       {"restart", Reentry::Mode::restart}}};
  Reentry reentry{.mode = has_key ? Reentry::Mode::per_key : Reentry::Mode::after_exit,
                  .release_after = {},
                  .cooldown = {}};
  if (!source) return reentry;
  const std::string mode = text_member(*source, "mode");
  const auto* found =
      std::ranges::find(kModes, mode, &std::pair<std::string_view, Reentry::Mode>::first);
  if (found == kModes.end()) throw std::invalid_argument{"there is no re-entry mode " + mode};
  reentry.mode = found->second;
  reentry.until_exit = text_member(*source, "until") == "exit";
  reentry.release_after = duration_member(*source, "releaseAfter");
  reentry.cooldown = duration_member(*source, "cooldown");
  return reentry;
}

std::optional<SendWindow> compile_window(const std::optional<json::Value>& source) {
  if (!source) return std::nullopt;
  SendWindow window;
  window.from = clock_member(*source, "from").value_or(std::chrono::minutes{});
  window.to = clock_member(*source, "to").value_or(std::chrono::minutes{});
  window.weekdays = weekdays_member(*source);
  window.zone = text_member(*source, "zone", "contact");
  window.skip_if_later_than = duration_member(*source, "skipIfLaterThan");
  return window;
}

// Types of the run's values; they depend on the trigger and the nodes.
ReferenceTypes types_of(const json::Value& source, const KnownTypes& known) {
  ReferenceTypes types{.contact = known.contact,
                       .store = known.store,
                       .trigger = {},
                       .run_item = {},
                       .variables = {},
                       .event = {},
                       .item = {}};
  const json::Value trigger = required_member(source, "trigger");
  const auto event = known.events.find(text_member(trigger, "event"));
  if (event != known.events.end()) types.trigger = event->second;
  const std::string each = text_member(trigger, "each");
  if (each.starts_with("event.")) {
    const auto list = member_at(types.trigger, std::string_view{each}.substr(6));
    if (list && !list->item.empty()) types.run_item = list->item.front();
  }
  required_member(source, "nodes").for_each([&](std::string_view, const json::Value& node) {
    const std::string type = text_member(node, "type");
    if (type == "coupon")
      types.variables[text_member(node, "as")] =
          object_of({{"code", {.kind = ValueType::Kind::text}},
                     {"expiresAt", {.kind = ValueType::Kind::time}}});
    if (type == "lookup") types.variables[text_member(node, "as")] = object_of({}, true);
    if (type == "waitForEvent") types.variables[text_member(node, "id")] = object_of({}, true);
  });
  return types;
}

}  // namespace

const Node* Definition::find(std::string_view id) const {
  const auto found = index.find(id);
  return found == index.end() ? nullptr : &nodes[static_cast<std::size_t>(found->second)];
}

SendRules compile_send_rules(const json::Value& source) {
  return {.quiet_hours = compile_window(source.member("quietHours")),
          .send_window = compile_window(source.member("sendWindow"))};
}

Definition compile(const json::Value& source, std::int64_t version, const KnownTypes& types) {
  Definition definition;
  definition.version = version;
  const auto nodes = source.member("nodes");
  if (!nodes || nodes->size() == 0) throw std::invalid_argument{"the definition has no nodes"};
  NodeCompiler compiler{.known = types, .types = types_of(source, types), .index = {}};
  nodes->for_each([&](std::string_view, const json::Value& node) {
    const int next = static_cast<int>(compiler.index.size());
    compiler.index.emplace(text_member(node, "id"), next);
  });
  definition.trigger = compile_trigger(required_member(source, "trigger"), compiler);
  definition.reentry =
      compile_reentry(source.member("reentry"), definition.trigger.key.has_value());
  if (const auto exits = source.member("exitOn"))
    exits->for_each([&](std::string_view, const json::Value& exit) {
      definition.exits.push_back(compiler.match(exit));
    });
  if (const auto goal = source.member("goal"))
    definition.goal = Goal{.match = compiler.match(*goal),
                           .within = duration_member(*goal, "within").value_or(Duration{})};
  definition.send_rules = compile_send_rules(source);
  nodes->for_each([&](std::string_view, const json::Value& node) {
    definition.nodes.push_back(compiler.compile(node));
  });
  definition.index = std::move(compiler.index);
  return definition;
}

std::set<std::string> awaited_kinds(const Definition& definition) {
  std::set<std::string> kinds;
  if (!definition.trigger.event.empty()) kinds.insert(definition.trigger.event);
  for (const auto& exit : definition.exits) kinds.insert(exit.kind);
  if (definition.goal) kinds.insert(definition.goal->match.kind);
  for (const auto& node : definition.nodes) {
    if (const auto* wait = std::get_if<WaitForEvent>(&node.what))
      for (const auto& event : wait->events) kinds.insert(event.match.kind);
    // A change of the contact's time zone moves the end of a wait for a local time.
    if (const auto* pause = std::get_if<Wait>(&node.what); pause && pause->depends_on_zone())
      kinds.emplace("contact.updated");
    if (std::holds_alternative<Email>(node.what))
      for (const auto& outcome : message_outcomes()) kinds.emplace(outcome.kind);
  }
  return kinds;
}

}  // namespace shopbell::engine

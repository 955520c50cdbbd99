#include "resources/workflows/definition_check.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "resources/workflows/checker.h"

namespace shopbell::workflows {

namespace {

std::optional<std::string> text_member(const json::Value& value, std::string_view name) {
  if (value.type() != json::Type::object) return std::nullopt;
  const auto member = value.member(name);
  if (!member || member->type() != json::Type::text) return std::nullopt;
  return std::string{member->text()};
}

// Collects the edges of a node, at any depth.
void collect_edges(const json::Value& value, const Shape& shape, std::vector<std::string>& edges) {
  if (shape.form == Form::node && value.type() == json::Type::text)
    edges.emplace_back(value.text());
  if (shape.form == Form::list && value.type() == json::Type::list) {
    value.for_each([&](std::string_view, const json::Value& element) {
      collect_edges(element, shape.item.front(), edges);
    });
  }
  if (shape.form != Form::object || value.type() != json::Type::object) return;
  for (const auto& member : shape.members) {
    if (const auto found = value.member(member.name)) collect_edges(*found, member.shape, edges);
  }
}

bool lasts_a_minute(const json::Value& node, std::string_view member) {
  const auto text = text_member(node, member);
  const auto duration = text ? parse_duration(*text) : std::nullopt;
  return duration && duration->least_seconds() >= 60;
}

// True if a run waits at the node for at least a minute. A local time counts, because it recurs
// daily; a date does not count, because it may be in the past.
bool pauses(const json::Value& node, std::string_view type) {
  if (type == "waitForEvent") return lasts_a_minute(node, "timeout");
  if (type != "wait") return false;
  const auto until = node.member("until");
  return lasts_a_minute(node, "for") || (until && text_member(*until, "time"));
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

References check_definition(json::Reading& reading, const json::Value& definition,
                            const KnownWorld& world) {
  return Checker{reading, world}.run(definition);
}

References Checker::run(const json::Value& definition) {
  if (definition.type() != json::Type::object) return {};
  collect_names(definition);
  check_parts(definition);
  check_between_parts(definition);
  if (const auto nodes = definition.member("nodes")) {
    check_nodes(*nodes);
  } else {
    refuse_member(reading_, "nodes", "required", "Is missing.");
  }
  return std::move(references_);
}

// Collects node ids and variables first: conditions and edges may refer to later nodes.
void Checker::collect_names(const json::Value& definition) {
  collect_trigger(definition);
  const auto nodes = definition.member("nodes");
  if (!nodes || nodes->type() != json::Type::list) return;
  nodes->for_each([&](std::string_view, const json::Value& node) { collect_node(node); });
}

void Checker::collect_trigger(const json::Value& definition) {
  const auto trigger = definition.member("trigger");
  if (!trigger) return;
  const auto event = text_member(*trigger, "event");
  if (!event) return;
  types_.trigger = type_of_event(*event).value_or(ValueType{});
  const auto each = text_member(*trigger, "each");
  if (!each || !each->starts_with("event.")) return;
  const auto items = member_at(types_.trigger, std::string_view{*each}.substr(6));
  if (items && items->kind == ValueType::Kind::list) types_.run_item = items->item.front();
}

void Checker::collect_node(const json::Value& node) {
  const auto id = text_member(node, "id");
  const auto type = text_member(node, "type");
  const auto name = text_member(node, "as");
  if (id) node_ids_.insert(*id);
  if (type == "coupon" && name)
    types_.variables[*name] = object_of({{"code", {.kind = ValueType::Kind::text}},
                                         {"expiresAt", {.kind = ValueType::Kind::time}}});
  if (type == "lookup" && name) types_.variables[*name] = object_of({}, true);
  if (type == "waitForEvent" && id) types_.variables[*id] = object_of({}, true);
}

void Checker::check_parts(const json::Value& definition) {
  for (const auto& part : definition_parts()) {
    const auto value = definition.member(part.name);
    if (!value && part.required) refuse_member(reading_, part.name, "required", "Is missing.");
    if (!value) continue;
    const json::Reading::Place place{reading_, part.name};
    check(*value, part.shape, {.in_run = part.name != "trigger"});
  }
}

// Checks the rules that involve several parts of a definition.
void Checker::check_between_parts(const json::Value& definition) {
  const auto trigger = definition.member("trigger");
  const auto reentry = definition.member("reentry");
  if (trigger && text_member(*trigger, "event") == std::nullopt &&
      trigger->type() == json::Type::object && trigger->member("schedule")) {
    const json::Reading::Place place{reading_, "trigger"};
    for (const std::string member : {"where", "each", "maxAge"}) {
      if (trigger->member(member))
        refuse_member(reading_, member, "conflicts-with",
                      "Is only allowed with an event, not with a schedule.");
    }
  }
  if (!reentry || reentry->type() != json::Type::object) return;
  const auto mode = text_member(*reentry, "mode").value_or("");
  const bool has_key = trigger && text_member(*trigger, "key");
  const json::Reading::Place place{reading_, "reentry"};
  if ((mode == "perKey" || mode == "restart") && !has_key)
    refuse_member(reading_, "mode", "conflicts-with", "Requires a `key` in the trigger.");
  for (const std::string member : {"until", "releaseAfter"}) {
    if (reentry->member(member) && mode != "restart")
      refuse_member(reading_, member, "conflicts-with", "Is only allowed with the mode restart.");
  }
}

void Checker::check_nodes(const json::Value& nodes) {
  const json::Reading::Place place{reading_, "nodes"};
  if (nodes.type() != json::Type::list) {
    reading_.refuse("wrong-type", "Expected a list.");
    return;
  }
  if (nodes.size() == 0) reading_.refuse("required", "A workflow must have at least one node.");
  if (nodes.size() > limits::kWorkflowNodes) {
    reading_.refuse("too-long", std::format("Has {} nodes, takes at most {}.", nodes.size(),
                                            limits::kWorkflowNodes));
    return;
  }
  std::vector<GraphNode> graph;
  std::set<std::string> ids;
  bool whole = true;
  nodes.for_each([&](std::string_view, const json::Value& node) {
    const json::Reading::Place element{reading_, std::to_string(graph.size())};
    auto read = check_node(node);
    whole = whole && read;
    graph.push_back(read.value_or(GraphNode{}));
    if (read && !ids.insert(graph.back().id).second)
      refuse_member(reading_, "id", "duplicate", "Another node has this id.");
  });
  if (!whole || ids.size() != graph.size()) return;  // skip the checks if the graph is incomplete
  const auto refuse_at = [&](std::size_t at, std::string_view code, std::string detail) {
    refuse_member(reading_, std::to_string(at), code, std::move(detail));
  };
  for (const std::size_t at : unreachable_nodes(graph))
    refuse_at(at, "unreachable", "No edge leads here from the first node.");
  for (const std::size_t at : endless_nodes(graph))
    refuse_at(at, "endless-loop", "Is part of a loop without a wait of at least a minute.");
}

std::optional<GraphNode> Checker::check_node(const json::Value& node) {
  if (node.type() != json::Type::object) {
    reading_.refuse("wrong-type", "Expected an object.");
    return std::nullopt;
  }
  const auto id = node.member("id");
  if (!id) refuse_member(reading_, "id", "required", "Is missing.");
  if (id) {
    const json::Reading::Place place{reading_, "id"};
    check(*id, {.form = Form::node_id}, {});
  }
  const auto type = text_member(node, "type");
  const NodeType* known = type ? find_node_type(*type) : nullptr;
  if (known == nullptr) {
    const json::Reading::Place place{reading_, "type"};
    std::vector<std::string> names;
    for (const auto& one : node_types()) names.push_back(one.name);
    node.member("type")
        ? reading_.refuse("not-an-option", std::format("Must be one of: {}.", listed(names)))
        : reading_.refuse("required", "Is missing.");
    return std::nullopt;
  }
  check_members(node, known->shape, {}, {"id", "type"});
  const auto name = text_member(node, "id");
  if (!name) return std::nullopt;
  GraphNode read{.id = *name, .pauses = pauses(node, *type)};
  collect_edges(node, known->shape, read.edges);
  return read;
}

}  // namespace shopbell::workflows

// Checker: checks one definition, and holds the names collected from it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "engine/reference.h"
#include "json/reading.h"
#include "resources/workflows/graph.h"
#include "resources/workflows/known_world.h"
#include "resources/workflows/shape.h"

namespace shopbell::workflows {

// The values that a reference or condition can use at its place in the definition.
struct Scope {
  std::optional<ValueType> event;  // type of the event that the condition is about
  std::optional<ValueType> item;   // type of the list element that the condition is about
  bool in_run = true;              // true: the trigger, key and variables of a run exist
};

// Returns the types of the contact and the store. Those of the trigger and the variables follow
// from the definition.
engine::ReferenceTypes types_of(const KnownWorld& world);

class Checker {
 public:
  Checker(json::Reading& reading, const KnownWorld& world)
      : reading_{reading}, world_{world}, types_{types_of(world)} {}

  References run(const json::Value& definition);

 private:
  // Functions in definition_check.cc:
  void collect_names(const json::Value& definition);
  void collect_trigger(const json::Value& definition);
  void collect_node(const json::Value& node);
  void check_parts(const json::Value& definition);
  void check_between_parts(const json::Value& definition);
  void check_nodes(const json::Value& nodes);
  std::optional<GraphNode> check_node(const json::Value& node);

  // Functions in shape_check.cc:
  void check(const json::Value& value, const Shape& shape, const Scope& scope);
  void check_object(const json::Value& value, const Shape& shape, const Scope& scope);
  void check_members(const json::Value& value, const Shape& shape, const Scope& scope,
                     const std::set<std::string_view>& also);
  void check_list(const json::Value& value, const Shape& shape, const Scope& scope);
  void check_text_form(const json::Value& value, const Shape& shape, const Scope& scope);
  void check_named(std::string_view text, const Shape& shape, const Scope& scope);
  void check_days(const json::Value& value, const Scope& scope);
  void check_payload(const json::Value& value, const ValueType& type, const Scope& scope);
  void check_patch(const json::Value& value, const Scope& scope);
  void check_assigned(const json::Value& value, const ValueType& type, const Scope& scope);
  std::optional<std::string_view> text_of(const json::Value& value);
  std::optional<Duration> duration_of(const json::Value& value, bool may_be_negative);

  // Functions in condition_check.cc:
  void check_condition(const json::Value& value, const Scope& scope);
  void check_comparison(const json::Value& value, const Scope& scope);
  void check_right_side(const json::Value& value, std::string_view op, const ValueType& left,
                        const Scope& scope);
  void check_quantifier(const json::Value& value, std::string_view form, const Scope& scope);
  void check_history(const json::Value& value, const Scope& scope);
  void check_range(const json::Value& value, const std::vector<std::string>& members);
  void check_operand(const json::Value& value, const ValueType& type, const Scope& scope);
  void check_operand_object(const json::Value& value, const ValueType& type, const Scope& scope);
  void check_date_operand(const json::Value& value, const Scope& scope);
  void check_literal(const json::Value& value, const ValueType& type);
  void refuse_unknown(const json::Value& value, const std::vector<std::string>& members);

  // Functions in references.cc:
  std::optional<ValueType> resolve(std::string_view path, const Scope& scope);
  std::optional<ValueType> resolve_here(const json::Value& value, const Scope& scope);
  // Returns the type of events of the kind; nullopt if there is no such kind.
  std::optional<ValueType> type_of_event(std::string_view kind);
  // Returns the type of the event that the object's `event` names, for conditions beside it.
  std::optional<ValueType> event_beside(const json::Value& object);

  json::Reading& reading_;
  const KnownWorld& world_;
  References references_;
  std::set<std::string, std::less<>> node_ids_;
  engine::ReferenceTypes types_;  // of the values that the definition can refer to
};

// Adds a fault at a member.
inline void refuse_member(json::Reading& reading, std::string_view member, std::string_view code,
                          std::string detail) {
  const json::Reading::Place place{reading, member};
  reading.refuse(code, std::move(detail));
}

std::string listed(const std::vector<std::string>& names);

}  // namespace shopbell::workflows

// NodeCompiler: compiles the nodes of a definition.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "engine/definition.h"

namespace shopbell::engine {

struct NodeCompiler {
  const KnownTypes& known;
  ReferenceTypes types;
  std::map<std::string, int, std::less<>> index;  // of nodes, by id

  Node compile(const json::Value& source) const;
  EventMatch match(const json::Value& source) const;
  ValueType type_of_event(const std::string& kind) const;

 private:
  std::optional<Reference> reference_member(const json::Value& source, std::string_view name) const;
  Edge edge(const json::Value& source, std::string_view member, std::string name) const;
  // An edge that is `next` if the node does not have it.
  Edge edge_or_next(const json::Value& source, std::string_view member) const;
  Payload payload_member(const json::Value& source, std::string_view name) const;

  Wait compile_wait(const json::Value& source) const;
  WaitForEvent compile_wait_for_event(const json::Value& source, Node& node) const;
  Branch compile_branch(const json::Value& source, Node& node) const;
  Split compile_split(const json::Value& source, Node& node) const;
  Lookup compile_lookup(const json::Value& source) const;
  bool compile_message(const json::Value& source, std::string_view type, Node& node) const;
};

// The events that end a message, and whether it counts as sent.
struct MessageOutcome {
  std::string_view kind;
  bool is_sent;
};
std::span<const MessageOutcome> message_outcomes();

}  // namespace shopbell::engine

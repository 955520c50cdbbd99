#include "engine/node_compile.h"

#include <array>
#include <stdexcept>

#include "engine/members.h"

namespace shopbell::engine {

namespace {

constexpr std::array<MessageOutcome, 5> kOutcomes{{{"message.sent", true},
                                                   {"message.unknown", true},
                                                   {"message.failed", false},
                                                   {"message.suppressed", false},
                                                   {"message.skipped", false}}};

}  // namespace

std::span<const MessageOutcome> message_outcomes() { return kOutcomes; }

ValueType NodeCompiler::type_of_event(const std::string& kind) const {
  const auto found = known.events.find(kind);
  return found == known.events.end() ? ValueType{} : found->second;
}

EventMatch NodeCompiler::match(const json::Value& source) const {
  EventMatch match{.kind = text_member(source, "event"), .where = {}};
  const auto where = source.member("where");
  if (!where) return match;
  ReferenceTypes inside = types;
  inside.event = type_of_event(match.kind);
  match.where = compile_condition(*where, inside, known.events);
  return match;
}

std::optional<Reference> NodeCompiler::reference_member(const json::Value& source,
                                                        std::string_view name) const {
  const auto found = source.member(name);
  return found ? std::optional{compile_reference(found->text(), types)} : std::nullopt;
}

Edge NodeCompiler::edge(const json::Value& source, std::string_view member,
                        std::string name) const {
  const std::string target = text_member(source, member);
  if (target.empty()) return {.name = std::move(name), .target = kEnd};
  const auto found = index.find(target);
  if (found == index.end()) throw std::invalid_argument{"there is no node " + target};
  return {.name = std::move(name), .target = found->second};
}

Edge NodeCompiler::edge_or_next(const json::Value& source, std::string_view member) const {
  return edge(source, source.member(member) ? member : "next", std::string{member});
}

Payload NodeCompiler::payload_member(const json::Value& source, std::string_view name) const {
  const auto found = source.member(name);
  return found ? compile_payload(*found, types) : Payload{.content = std::string{"{}"}};
}

Wait NodeCompiler::compile_wait(const json::Value& source) const {
  Wait wait;
  if (const auto length = source.member("for")) {
    if (length->type() == json::Type::object) {
      wait.days = reference_member(*length, "days");
    } else {
      wait.length = duration_member(source, "for");
    }
  }
  if (const auto until = source.member("until")) {
    wait.time = clock_member(*until, "time");
    wait.weekdays = weekdays_member(*until);
    wait.date = reference_member(*until, "date");
    wait.offset = duration_member(*until, "plus").value_or(Duration{});
  }
  return wait;
}

WaitForEvent NodeCompiler::compile_wait_for_event(const json::Value& source, Node& node) const {
  WaitForEvent wait;
  required_member(source, "events").for_each([&](std::string_view, const json::Value& awaited) {
    AwaitedEvent event{.match = match(awaited), .product = {}, .variant = {}};
    if (const auto subject = awaited.member("subject")) {
      event.product = reference_member(*subject, "product");
      event.variant = reference_member(*subject, "variant");
    }
    if (const auto release = awaited.member("release"))
      event.release_per_unit = count_member(*release, "perUnit").value_or(0);
    const std::string name = "events." + std::to_string(wait.events.size());
    node.edges.push_back(edge(awaited.member("next") ? awaited : source, "next", name));
    wait.events.push_back(std::move(event));
  });
  node.edges.push_back(edge_or_next(source, "onTimeout"));
  wait.timeout = duration_member(source, "timeout").value_or(Duration{});
  wait.since_start = text_member(source, "since") == "runStart";
  return wait;
}

Branch NodeCompiler::compile_branch(const json::Value& source, Node& node) const {
  Branch branch;
  required_member(source, "cases").for_each([&](std::string_view, const json::Value& one) {
    node.edges.push_back(edge(one, "next", "cases." + std::to_string(branch.cases.size())));
    branch.cases.push_back(compile_condition(required_member(one, "when"), types, known.events));
  });
  node.edges.push_back(edge(source, "else", "else"));
  return branch;
}

Split NodeCompiler::compile_split(const json::Value& source, Node& node) const {
  Split split;
  required_member(source, "parts").for_each([&](std::string_view, const json::Value& part) {
    node.edges.push_back(edge(part, "next", "parts." + std::to_string(split.weights.size())));
    split.weights.push_back(count_member(part, "weight").value_or(0));
    split.holdouts.push_back(flag_member(part, "holdout"));
  });
  return split;
}

Lookup NodeCompiler::compile_lookup(const json::Value& source) const {
  for (const std::string_view type : {"product", "variant", "purchase"}) {
    if (const auto id = reference_member(source, type))
      return {.type = std::string{type}, .id = *id, .variable = text_member(source, "as")};
  }
  throw std::invalid_argument{"a lookup node names no object"};
}

// Compiles the nodes that act outside of the run. Returns false for other types.
bool NodeCompiler::compile_message(const json::Value& source, std::string_view type,
                                   Node& node) const {
  node.edges.push_back(edge(source, "next", "next"));
  if (type == "email") {
    node.what = Email{.template_name = text_member(source, "template"),
                      .is_marketing = text_member(source, "class") != "transactional",
                      .skips_at_cap = text_member(source, "onCap") == "skip"};
    node.edges.push_back(edge_or_next(source, "onNotSent"));
  } else if (type == "webhook") {
    node.what = Webhook{.event_type = text_member(source, "eventType"),
                        .data = payload_member(source, "data"),
                        .requires_consent = flag_member(source, "requiresConsent")};
    node.edges.push_back(edge_or_next(source, "onFailed"));
  } else if (type == "coupon") {
    node.what = Coupon{.coupon_set = text_member(source, "couponSet"),
                       .variable = text_member(source, "as"),
                       .valid_for = duration_member(source, "validFor"),
                       .reuse = flag_member(source, "reuse"),
                       .release_if_not_sent = flag_member(source, "releaseIfNotSent")};
    node.edges.push_back(edge(source, "onEmpty", "onEmpty"));
  } else if (type == "lookup") {
    node.what = compile_lookup(source);
    node.edges.push_back(edge(source, "onMissing", "onMissing"));
  } else if (type == "updateContact") {
    node.what = UpdateContact{payload_member(source, "set")};
  } else if (type == "event") {
    node.what = EmitEvent{.kind = text_member(source, "event"),
                          .payload = payload_member(source, "payload")};
  } else {
    node.edges.clear();
    return false;
  }
  return true;
}

Node NodeCompiler::compile(const json::Value& source) const {
  Node node{.id = text_member(source, "id"), .what = Exit{}, .edges = {}};
  const std::string type = text_member(source, "type");
  if (compile_message(source, type, node)) return node;
  if (type == "wait") {
    node.what = compile_wait(source);
    node.edges.push_back(edge(source, "next", "next"));
  } else if (type == "waitForEvent") {
    node.what = compile_wait_for_event(source, node);
  } else if (type == "branch") {
    node.what = compile_branch(source, node);
  } else if (type == "split") {
    node.what = compile_split(source, node);
  } else if (type != "exit") {
    throw std::invalid_argument{"there is no node type " + type};
  }
  return node;
}

}  // namespace shopbell::engine

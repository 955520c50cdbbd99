#include "resources/workflows/workflow_numbers.h"

#include <algorithm>

#include "json/document.h"
#include "json/maps.h"
#include "resources/workflows/queries.h"
#include "resources/workflows/workflow.h"

namespace shopbell::workflows {

namespace {

constexpr std::string_view kRefused = "refused.";
constexpr std::string_view kRevenue = "revenue";

void add_to_workflow(Numbers& numbers, const std::string& counter, std::int64_t people) {
  if (counter == "entered") numbers.entered = people;
  if (counter == "active") numbers.active = people;
  if (counter == "completed") numbers.completed = people;
  if (counter == "exited") numbers.exited = people;
  if (counter == "converted") numbers.converted = people;
  if (counter.starts_with(kRefused)) numbers.refused[counter.substr(kRefused.size())] = people;
}

void add_to_node(NodeNumbers& node, const std::string& counter, std::int64_t people) {
  if (counter == "reached") {
    node.reached = people;
  } else if (counter == "waiting") {
    node.waiting = people;
  } else {
    node.passed[counter] = people;
  }
}

const json::Table<NodeNumbers>& node_numbers_json() {
  static const json::Table<NodeNumbers> table{
      "NodeNumbers",
      "The people at one node. A person counts once, however often they pass.",
      {json::text("node", &NodeNumbers::node),
       json::integer("reached", &NodeNumbers::reached).doc("People who have been at the node."),
       json::integer("waiting", &NodeNumbers::waiting).doc("People who are there now."),
       json::integers_by_name("passed", &NodeNumbers::passed)
           .doc("People who left by an edge, such as `next` or `onTimeout`."),
       json::object("revenue", &NodeNumbers::revenue, money_json())
           .doc("Purchases that are attributed to this node.")}};
  return table;
}

const json::Table<NodeMove>& node_move_json() {
  static const json::Table<NodeMove> table{
      "NodeMove",
      "A node where people wait.",
      {json::text("node", &NodeMove::node), json::integer("waiting", &NodeMove::waiting),
       json::boolean("inDraft", &NodeMove::in_draft)
           .doc("Whether the draft has a node of this id.")}};
  return table;
}

}  // namespace

void read_numbers(pg::Group& reads, std::int64_t account, const std::string& name) {
  reads.add(sql::list_numbers, account, name, Uuid::parse(name));
}

Numbers found_numbers(const pg::Result& result, const std::string& currency) {
  Numbers numbers;
  numbers.revenue = money_of("0", currency);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::string node = result[i].text("node");
    const std::string counter = result[i].text("counter");
    const std::int64_t people = result[i].integer("people");
    if (!node.empty() && (numbers.nodes.empty() || numbers.nodes.back().node != node))
      numbers.nodes.push_back({.node = node, .passed = {}, .revenue = money_of("0", currency)});
    if (counter == kRevenue) {
      Money& revenue = node.empty() ? numbers.revenue : numbers.nodes.back().revenue;
      revenue = money_of(result[i].view("amount"), currency);
    } else if (node.empty()) {
      add_to_workflow(numbers, counter, people);
    } else {
      add_to_node(numbers.nodes.back(), counter, people);
    }
  }
  return numbers;
}

const json::Table<Numbers>& numbers_json() {
  static const json::Table<Numbers> table{
      "WorkflowNumbers",
      "How many people are in a workflow and passed its nodes, of all versions.",
      {json::integer("entered", &Numbers::entered), json::integer("active", &Numbers::active),
       json::integer("completed", &Numbers::completed)
           .doc("People who reached an end of the workflow."),
       json::integer("exited", &Numbers::exited)
           .doc("People who left in another way, such as by an exit or an operator."),
       json::integer("converted", &Numbers::converted),
       json::object("revenue", &Numbers::revenue, money_json()),
       json::integers_by_name("refused", &Numbers::refused)
           .doc("Events that started no run, by reason: `noKey`, `tooOld`, `cooldown`, `paused`, "
                "`loop` or "
                "`reentry`."),
       json::objects("nodes", &Numbers::nodes, node_numbers_json(), 10'000)}};
  return table;
}

DraftMoves moves_between(const Workflow& active, const Workflow& draft, const Numbers& numbers) {
  DraftMoves moves{.draft_version = draft.draft_version.value_or(0), .nodes = {}};
  const auto kept = node_ids(draft);
  const auto add = [&](const std::string& node, std::int64_t waiting) {
    const bool in_draft = std::ranges::contains(kept, node);
    if (!in_draft) moves.waiting += waiting;
    moves.nodes.push_back({.node = node, .waiting = waiting, .in_draft = in_draft});
  };
  const auto nodes = node_ids(active);
  for (const auto& node : nodes) {
    const auto found = std::ranges::find(numbers.nodes, node, &NodeNumbers::node);
    add(node, found == numbers.nodes.end() ? 0 : found->waiting);
  }
  for (const auto& other : numbers.nodes)
    if (other.waiting > 0 && !std::ranges::contains(nodes, other.node))
      add(other.node, other.waiting);
  return moves;
}

const json::Table<DraftMoves>& draft_moves_json() {
  static const json::Table<DraftMoves> table{
      "DraftMoves",
      "The people whom publishing the draft could move.",
      {json::integer("draftVersion", &DraftMoves::draft_version),
       json::integer("waiting", &DraftMoves::waiting)
           .doc("People at nodes that the draft does not have. They finish on their version unless "
                "the publisher maps their nodes."),
       json::objects("nodes", &DraftMoves::nodes, node_move_json(), 10'000)}};
  return table;
}

std::vector<std::string> node_ids(const Workflow& workflow) {
  std::vector<std::string> ids;
  if (!workflow.nodes) return ids;
  const auto document = json::Document::parse(workflow.nodes->json);
  if (!document) return ids;
  document->root().for_each([&](std::string_view, const json::Value& node) {
    if (const auto id = node.member("id")) ids.emplace_back(id->text());
  });
  return ids;
}

}  // namespace shopbell::workflows

// Numbers of a workflow: the people who are in it and passed its nodes. They are exact at any time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "json/fields.h"
#include "pg/group.h"
#include "pg/result.h"
#include "resources/workflows/money.h"

namespace shopbell::workflows {

struct Workflow;

// The people who reached a node, are there, and left by each edge.
struct NodeNumbers {
  std::string node;
  std::int64_t reached = 0;
  std::int64_t waiting = 0;
  std::map<std::string, std::int64_t> passed;
  Money revenue;
};

struct Numbers {
  std::int64_t entered = 0;
  std::int64_t active = 0;
  std::int64_t completed = 0;
  std::int64_t exited = 0;
  std::int64_t converted = 0;
  Money revenue;
  std::map<std::string, std::int64_t> refused;  // starts, by reason
  std::vector<NodeNumbers> nodes;               // by node; those that anyone has reached
};

void read_numbers(pg::Group& reads, std::int64_t account, const std::string& name);
// `currency` is the store's.
Numbers found_numbers(const pg::Result& result, const std::string& currency);

const json::Table<Numbers>& numbers_json();

// A node of earlier versions, before a draft is published.
struct NodeMove {
  std::string node;
  std::int64_t waiting = 0;
  bool in_draft = false;
};
struct DraftMoves {
  std::int64_t draft_version = 0;
  std::int64_t waiting = 0;  // people at nodes that the draft does not have
  std::vector<NodeMove> nodes;
};
// The nodes of the active version, and those of earlier ones where people wait.
DraftMoves moves_between(const Workflow& active, const Workflow& draft, const Numbers& numbers);

const json::Table<DraftMoves>& draft_moves_json();

// The ids of the nodes of a workflow's definition, in order.
std::vector<std::string> node_ids(const Workflow& workflow);

}  // namespace shopbell::workflows

// The compiled form of a template: nodes in blocks.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "liquid/expression.h"
#include "liquid/template.h"

namespace shopbell::liquid {

struct Node;
using Block = std::vector<Node>;

struct Output {
  Filtered value;
  bool escaped = false;
};

struct If {
  struct Branch {
    std::optional<Filtered> condition;  // none: `else`
    bool negated = false;               // `unless`
    Block body;
  };
  std::vector<Branch> branches;
};

struct Case {
  struct When {
    std::vector<Operand> values;
    Block body;
  };
  Filtered value;
  std::vector<When> whens;
  Block otherwise;
};

struct For {
  Operand list;
  std::optional<Operand> offset;
  std::optional<Operand> limit;
  bool reversed = false;
  Block body;
  Block otherwise;
};

struct Assign {
  std::size_t name = 0;
  Filtered value;
};

struct Capture {
  std::size_t name = 0;
  Block body;
};

struct Cycle {
  std::optional<Operand> group;
  std::string_view key;  // the source of the values: cycles with the same key share their position
  std::vector<Filtered> values;
  std::vector<bool> escaped;
};

enum class Jump : std::uint8_t { leave_loop, next_item };

struct Node {
  std::variant<std::string_view, Output, If, Case, For, Assign, Capture, Cycle, Jump> content;
  Place place = 0;
};

struct Compiled {
  Part part = Part::html;
  std::string source;
  std::deque<std::string> texts;   // literals whose escapes were replaced
  std::vector<std::string> names;  // of variables and roots
  std::vector<bool> is_root;       // by name
  std::vector<bool> is_read;       // by name
  Block body;
};

// The line and column of a position in the source.
Fault fault_at(std::string_view source, Place place, std::string message);

}  // namespace shopbell::liquid

// Scope: the names that a template may use at one place, while it is compiled.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "liquid/nodes.h"
#include "liquid/scanner.h"

namespace shopbell::liquid {

class Scope {
 public:
  explicit Scope(const std::vector<std::string_view>& roots);

  // What a name stands for at this place: the variable of a loop around it, else an assigned
  // variable or a root.
  std::variant<Value, Variable, LoopItem, LoopState, Range> resolve(std::string_view name,
                                                                    Place place);
  // The number of an assigned name.
  std::size_t assign(std::string_view name);

  void enter_loop(std::string_view variable) { loops_.emplace_back(variable); }
  void leave_loop() { loops_.pop_back(); }
  bool in_loop() const { return !loops_.empty(); }

  // The names that were used but are neither roots nor assigned anywhere.
  std::vector<SyntaxFault> unknown_names() const;
  void store_names(Compiled& compiled) const;

 private:
  struct Name {
    std::string text;
    bool root = false;
    bool assigned = false;
    std::optional<Place> first_use;
  };

  std::size_t number_of(std::string_view name);

  std::vector<std::string_view> roots_;
  std::vector<Name> names_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::vector<std::string> loops_;  // the variables of the loops around this place
};

}  // namespace shopbell::liquid

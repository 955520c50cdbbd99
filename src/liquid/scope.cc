#include "liquid/scope.h"

#include <algorithm>
#include <format>

#include "liquid/suggest.h"

namespace shopbell::liquid {

Scope::Scope(const std::vector<std::string_view>& roots) : roots_{roots} {
  for (const auto root : roots) names_[number_of(root)].root = true;
}

std::size_t Scope::number_of(std::string_view name) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  numbers_.emplace(name, names_.size());
  names_.push_back({.text = std::string{name}});
  return names_.size() - 1;
}

std::variant<Value, Variable, LoopItem, LoopState, Range> Scope::resolve(std::string_view name,
                                                                         Place place) {
  if (name == "forloop" && in_loop()) return LoopState{loops_.size() - 1};
  for (std::size_t depth = loops_.size(); depth-- > 0;)
    if (loops_[depth] == name) return LoopItem{depth};
  const std::size_t number = number_of(name);
  if (!names_[number].first_use) names_[number].first_use = place;
  return Variable{number};
}

std::size_t Scope::assign(std::string_view name) {
  const std::size_t number = number_of(name);
  names_[number].assigned = true;
  return number;
}

std::vector<SyntaxFault> Scope::unknown_names() const {
  std::vector<std::string_view> known = roots_;
  std::vector<const Name*> unknown;
  for (const auto& name : names_) {
    if (name.assigned) known.emplace_back(name.text);
    if (!name.root && !name.assigned && name.first_use) unknown.push_back(&name);
  }
  std::ranges::sort(unknown, {}, [](const Name* name) { return *name->first_use; });
  if (unknown.size() > kFaultsMax) unknown.resize(kFaultsMax);
  std::vector<SyntaxFault> faults;
  faults.reserve(faults.size() + unknown.size());
  for (const Name* name : unknown) {
    faults.push_back({*name->first_use, name->text == "forloop"
                                            ? "`forloop` exists only inside a `for` loop."
                                            : std::format("There is no `{}`. {}", name->text,
                                                          suggestion(name->text, known))});
  }
  return faults;
}

void Scope::store_names(Compiled& compiled) const {
  for (const auto& name : names_) {
    compiled.names.push_back(name.text);
    compiled.is_root.push_back(name.root);
    compiled.is_read.push_back(name.first_use.has_value());
  }
}

}  // namespace shopbell::liquid

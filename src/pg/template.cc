#include "pg/template.h"

#include <algorithm>
#include <format>
#include <set>
#include <stdexcept>

namespace shopbell::pg {

namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";

// Returns the name of the placeholder that starts at `brace`; empty if none does.
std::string_view placeholder_at(std::string_view sql, std::size_t brace) {
  const std::size_t end = sql.find_first_not_of(kLetters, brace + 1);
  if (end == std::string_view::npos || sql[end] != '}') return {};
  return sql.substr(brace + 1, end - brace - 1);
}

}  // namespace

std::string fill(const Template& statement, std::initializer_list<Filling> fillings) {
  std::string filled;
  std::set<const Filling*> used;
  std::string_view rest = statement.sql;
  for (auto brace = rest.find('{'); brace != std::string_view::npos; brace = rest.find('{')) {
    filled += rest.substr(0, brace);
    const std::string_view name = placeholder_at(rest, brace);
    if (name.empty()) {
      filled += '{';
      rest.remove_prefix(brace + 1);
      continue;
    }
    const auto* filling = std::ranges::find(fillings, name, &Filling::name);
    if (filling == fillings.end())
      throw std::logic_error{std::format("{}: nothing fills {{{}}}", statement.name, name)};
    filled += filling->sql;
    used.insert(filling);
    rest.remove_prefix(brace + name.size() + 2);
  }
  for (const auto& filling : fillings) {
    if (!used.contains(&filling))
      throw std::logic_error{
          std::format("{}: there is no placeholder {{{}}}", statement.name, filling.name)};
  }
  return filled.append(rest);
}

}  // namespace shopbell::pg

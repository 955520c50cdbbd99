// Recipes: workflow files that the binary brings along, ready to apply. They are the .yaml files of
// this folder, embedded by the build; the engine's scenarios test them.
#pragma once

#include <span>
#include <string_view>

namespace shopbell::app {

struct Recipe {
  std::string_view name;  // such as "abandoned-cart"
  std::string_view yaml;  // the whole file
};

std::span<const Recipe> recipes();
const Recipe* find_recipe(std::string_view name);  // nullptr if there is none

}  // namespace shopbell::app

#include "app/recipes/recipe.h"

#include <algorithm>

#include "recipes.h"

namespace shopbell::app {

std::span<const Recipe> recipes() { return kRecipes; }

const Recipe* find_recipe(std::string_view name) {
  const auto found = std::ranges::find(kRecipes, name, &Recipe::name);
  return found == std::end(kRecipes) ? nullptr : found;
}

}  // namespace shopbell::app

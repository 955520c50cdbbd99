# Writes OUT, a header with the workflow FILES in order of their names. back_in_stock.yaml becomes the recipe
# "back-in-stock".
set(text "// Generated from src/app/recipes: do not edit.\n#pragma once\n\n#include \"app/recipes/recipe.h\"\n\n")
string(APPEND text "namespace shopbell::app {\ninline constexpr Recipe kRecipes[] = {\n")
list(SORT FILES)
foreach(file ${FILES})
  file(READ "${file}" yaml)
  get_filename_component(name "${file}" NAME_WE)
  string(REPLACE "_" "-" name "${name}")
  string(APPEND text "    {.name = \"${name}\", .yaml = R\"yaml(${yaml})yaml\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace shopbell::app\n")
file(WRITE "${OUT}" "${text}")

// YAML files of tests, read as JSON.
#pragma once

#include <string>

namespace shopbell::testing {

// Reads a file of scenarios. `workflow: {recipe: NAME}` is replaced by that recipe's definition;
// the file then also has the recipe's event types as `events`, unless it has its own. Throws
// std::runtime_error, with the file's name, if the file is not YAML.
std::string read_yaml_as_json(const std::string& path);

// A workflow file or recipe without the objects that it needs: the definition alone.
std::string definition_of_file(const std::string& yaml);

}  // namespace shopbell::testing

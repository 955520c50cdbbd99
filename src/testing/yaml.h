// YAML files of tests, read as JSON.
#pragma once

#include <string>

namespace shopbell::testing {

// Plain scalars become numbers, booleans and null where they are such; quoted ones stay texts.
// Throws std::runtime_error, with the file's name, if the file is not YAML.
std::string read_yaml_as_json(const std::string& path);

}  // namespace shopbell::testing

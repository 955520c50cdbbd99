// Parts of the OpenAPI document that repeat: each is written once, as a component that the others
// refer to.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/reference/openapi.h"

namespace shopbell::http {

// Writes `{"$ref": "#/components/KIND/NAME"}`.
void write_reference(json::Writer& writer, std::string_view kind, std::string_view name);

// Moves schemas that repeat inside others to schemas of their own, if that makes the document
// shorter. A new schema has the name of the first member that uses it.
NamedSchemas share_schemas(NamedSchemas named);

// Components of one kind. Call count() for every use first, then write() in their place.
class SharedComponents {
 public:
  explicit SharedComponents(std::string kind) : kind_{std::move(kind)} {}

  // `name` is a proposal: different values with the same name are numbered.
  void count(const std::string& name, const std::string& json);
  // Writes a reference if the value repeats, else the value.
  void write(json::Writer& writer, const std::string& json) const;
  // Writes the members of `components.KIND`.
  void write_all(json::Writer& writer) const;

 private:
  struct Use {
    std::string name;
    int times = 0;
  };
  std::string kind_;
  std::map<std::string, Use> uses_;            // uses of each value, by JSON
  std::map<std::string, int> values_of_name_;  // number of values with that name
};

}  // namespace shopbell::http

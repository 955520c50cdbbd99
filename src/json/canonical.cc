#include "json/canonical.h"

#include <map>

#include "json/writer.h"

namespace shopbell::json {

std::string canonical(const Value& value) {
  Writer writer;
  if (value.type() == Type::object) {
    std::map<std::string, std::string> members;
    value.for_each([&](std::string_view name, const Value& member) {
      members.emplace(name, canonical(member));
    });
    writer.begin_object();
    for (const auto& [name, text] : members) writer.key(name).written(text);
  } else if (value.type() == Type::list) {
    writer.begin_list();
    value.for_each(
        [&](std::string_view, const Value& element) { writer.written(canonical(element)); });
  } else {
    return value.to_json();
  }
  writer.end();
  return writer.finish();
}

}  // namespace shopbell::json

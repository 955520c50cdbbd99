#include "resources/workflows/store_data.h"

#include <utility>

#include "json/writer.h"

namespace shopbell::workflows {

engine::Data store_data(const pg::Row& row) {
  json::Writer writer;
  writer.begin_object();
  for (const auto& [member, column] : {std::pair{"name", "name"},
                                       {"url", "url"},
                                       {"timeZone", "time_zone"},
                                       {"currency", "currency"},
                                       {"locale", "locale"},
                                       {"country", "country"},
                                       {"marketingRequires", "marketing_requires"}}) {
    writer.key(member);
    const auto value = row.find(column);
    value ? writer.text(*value) : writer.null();
  }
  return engine::Data{writer.end().finish()};
}

}  // namespace shopbell::workflows

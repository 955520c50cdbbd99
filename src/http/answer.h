// The answer that shows one resource: its JSON, its tag, and what a lenient reading left out.
#pragma once

#include <string>

#include "http/wire/message.h"
#include "json/fields.h"

namespace shopbell::http {

template <class Resource>
Response resource_answer(const json::Table<Resource>& table, const Resource& resource,
                         std::string tag, const json::Reading& reading = json::Reading{}) {
  Response response = Response::json(table.to_json(resource, reading.warnings()));
  response.etag = std::move(tag);
  if (reading.lenient()) response.headers.emplace_back("Preference-Applied", "handling=lenient");
  return response;
}

}  // namespace shopbell::http

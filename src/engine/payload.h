// Payload: JSON of a definition whose values may be references, such as the data of a webhook.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/condition.h"
#include "json/writer.h"

namespace shopbell::engine {

struct Payload {
  using Object = std::vector<std::pair<std::string, Payload>>;
  using List = std::vector<Payload>;
  std::variant<std::string, Operand, Object, List> content =
      std::string{"null"};  // a text is literal JSON
};

Payload compile_payload(const json::Value& source, const ReferenceTypes& types);

// Writes the payload with the present values; a missing value is null.
void write(json::Writer& writer, const Payload& payload, const View& view);
std::string to_json(const Payload& payload, const View& view);

}  // namespace shopbell::engine

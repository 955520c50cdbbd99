// Malformed JSON: texts that a strict RFC 8259 parser (UTF-8, at most 32 levels deep) must reject.
#pragma once

#include <string>
#include <vector>

namespace shopbell::proofs {

struct MalformedJson {
  std::string name;
  std::string bytes;
};

const std::vector<MalformedJson>& malformed_json();

}  // namespace shopbell::proofs

// Malformed JSON: texts that strict RFC 8259, in UTF-8 and at most 32 levels deep, does not take.
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

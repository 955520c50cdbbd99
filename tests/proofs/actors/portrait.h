// Portraits: fictitious people with a unique string in every attribute.
#pragma once

#include <random>
#include <string>
#include <string_view>

#include "tests/proofs/actors/scan.h"

namespace shopbell::proofs {

struct Portrait {
  std::string email;
  std::string external_id;
  std::string old_email;  // address before a change of address; often empty
  std::string body;       // JSON of all other attributes, as a store sends them
  std::string id;         // the contact's id, once it is known
};

class Portraits {
 public:
  // All strings of the portraits are added to `needles`.
  Portraits(std::mt19937_64& random, Needles& needles) : random_{random}, needles_{needles} {}

  Portrait draw();

 private:
  std::string draw_text(std::string_view characters, std::size_t count);
  std::string draw_mark();
  std::string draw_phone();
  std::string draw_ip();
  std::string draw_points();
  std::string draw_birth_date();

  std::mt19937_64& random_;
  Needles& needles_;
  int births_ = 0;
};

}  // namespace shopbell::proofs

// ContactField: something a store wants to know of its contacts beyond what every contact has, and
// the built-in fields beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "json/field_kinds.h"

namespace shopbell::contact_fields {

struct Option {
  std::string id;
  std::string label;
};

struct ContactField {
  std::string id;
  std::string name;
  std::string type;
  bool indexed = false;
  bool required = false;
  std::optional<json::Raw> default_value;
  std::vector<Option> options;             // of the choice kinds
  std::optional<std::int64_t> max_length;  // of text
  std::optional<json::Raw> min;            // of numbers, dates and times
  std::optional<json::Raw> max;
  bool built_in = false;
  Instant created_at;
  Instant updated_at;
  std::int64_t number = 0;  // in the order of creation; built-in ones are below zero
  std::int64_t version = 1;
};

const std::vector<std::string>& field_types();
bool is_choice(std::string_view type);
bool is_ordered(std::string_view type);  // min and max make sense

// What every contact has, oldest first. They are as old as the account.
std::vector<ContactField> built_in_fields(Instant created_at);
const ContactField* find_built_in(std::string_view id);

// Whether it is written as the id of a field: a small letter, then letters, digits and underscores.
bool is_field_id(std::string_view text);

// Members of a contact whose names no field may take.
bool is_reserved(std::string_view id);

}  // namespace shopbell::contact_fields

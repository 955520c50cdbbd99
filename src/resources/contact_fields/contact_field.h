// ContactField: a field of contacts, either built in or added by the store.
#pragma once

#include <cstddef>
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
  std::vector<Option> options;             // choices, for the types choice and choices
  std::optional<std::int64_t> max_length;  // limit for the type text
  std::optional<json::Raw> min;            // lower bound of numbers, dates and times
  std::optional<json::Raw> max;
  bool built_in = false;
  Instant created_at;
  Instant updated_at;
  std::int64_t number = 0;  // counts up with each new field; negative for built-in fields
  std::int64_t version = 1;
};

// The memory that the field occupies, approximately.
std::size_t bytes_of(const ContactField& field);

const std::vector<std::string>& field_types();
bool is_choice(std::string_view type);
bool is_ordered(std::string_view type);  // true if the type can have min and max

// The built-in fields in order of their numbers; `created_at` is the account's creation time.
std::vector<ContactField> built_in_fields(Instant created_at);
const ContactField* find_built_in(std::string_view id);
// The column of the table `contact` that holds a built-in field: "postalCode" is in postal_code.
std::string column_of(const ContactField& built_in);

// True for a valid field id: a lowercase letter, then letters, digits and underscores; 64 at most.
bool is_field_id(std::string_view text);

// True for names of built-in fields and of other members of a contact.
bool is_reserved(std::string_view id);

}  // namespace shopbell::contact_fields

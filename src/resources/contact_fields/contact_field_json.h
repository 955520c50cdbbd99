// JSON of a contact field.
#pragma once

#include "json/fields.h"
#include "resources/contact_fields/contact_field.h"

namespace shopbell::contact_fields {

const json::Table<ContactField>& contact_field_json();
const json::Table<Option>& option_json();

std::string options_to_json(const std::vector<Option>& options);
std::vector<Option> options_from_json(std::string_view text);

}  // namespace shopbell::contact_fields

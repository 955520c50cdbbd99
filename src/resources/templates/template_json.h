// JSON of a template.
#pragma once

#include "json/fields.h"
#include "resources/templates/template.h"

namespace shopbell::templates {

const json::Table<Template>& template_json();

// The ETag of a template and of its contents: a new draft or publication changes both.
std::string tag_of(const Template& message);

}  // namespace shopbell::templates

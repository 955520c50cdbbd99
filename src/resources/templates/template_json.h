// JSON of a template.
#pragma once

#include "json/fields.h"
#include "resources/templates/template.h"

namespace shopbell::templates {

const json::Table<Template>& template_json();

}  // namespace shopbell::templates

// The template's wire names.
#pragma once

#include "json/fields.h"
#include "resources/templates/template.h"

namespace shopbell::templates {

const json::Table<Template>& template_json();

}  // namespace shopbell::templates

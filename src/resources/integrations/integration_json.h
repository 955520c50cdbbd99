// The integration's wire names.
#pragma once

#include "json/fields.h"
#include "resources/integrations/integration.h"

namespace shopbell::integrations {

const json::Table<Integration>& integration_json();

}  // namespace shopbell::integrations

// Integrations as JSON.
#pragma once

#include "json/fields.h"
#include "resources/integrations/integration.h"

namespace shopbell::integrations {

const json::Table<Integration>& integration_json();

}  // namespace shopbell::integrations

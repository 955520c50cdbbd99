// The parameter `triggerWorkflows`: which workflows the events of a write may trigger.
#pragma once

#include "events/event.h"
#include "operations/input.h"
#include "operations/operation.h"

namespace shopbell::operations {

// All writes of contacts, products, purchases and events accept this parameter.
QueryParameter trigger_parameter();
events::Trigger trigger_of(const Input& input);
events::Trigger trigger_from(std::string_view text);

}  // namespace shopbell::operations

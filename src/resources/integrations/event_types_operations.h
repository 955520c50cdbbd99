// The operations on the event types of an integration: list, create, get, delete.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/outside.h"
#include "operations/input.h"
#include "operations/operation.h"
#include "operations/resource_operations.h"
#include "pg/error.h"
#include "resources/integrations/event_type.h"

namespace shopbell::integrations {

std::vector<operations::Operation> event_type_routes(const net::OutsideRules& outside);

// Returns the integration's id in the path; throws missing_integration() if it is malformed.
Uuid integration_id(const operations::Input& input);
Problem missing_integration();
Problem missing_event_type();

std::string tag_of(const EventType& type);

// The common parts of all operations on event types.
operations::ResourceOperations event_type_operations();

// True if a foreign key prevented the deletion.
bool is_in_use(const pg::Error& error);

}  // namespace shopbell::integrations

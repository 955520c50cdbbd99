// The event types of an integration: list, create, get, delete.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/call.h"
#include "http/route.h"
#include "net/outside.h"
#include "pg/error.h"
#include "resources/integrations/event_type.h"

namespace shopbell::integrations {

std::vector<http::Route> event_type_routes(const net::OutsideRules& outside);

// The id in the path; what is not written as one is an id that does not exist.
Uuid integration_id(const http::Call& call);
Problem missing_integration();
Problem missing_event_type();

std::string tag_of(const EventType& type);

// Whether something that stays refers to what was to be deleted.
bool is_in_use(const pg::Error& error);

}  // namespace shopbell::integrations

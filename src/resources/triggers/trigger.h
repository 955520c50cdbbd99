// What the events of a write may set in motion, as the caller wishes.
#pragma once

#include "events/event.h"
#include "http/call.h"
#include "http/route.h"

namespace shopbell::triggers {

// `triggerWorkflows`, which every write of contacts, products, purchases and events takes.
http::QueryParameter trigger_parameter();
events::Trigger trigger_of(const http::Call& call);
events::Trigger trigger_from(std::string_view wish);

}  // namespace shopbell::triggers

// What OpenAPI says of the body of a request.
#pragma once

#include "http/route.h"
#include "json/writer.h"

namespace shopbell::http {

// The member `requestBody`, if the route takes one.
void write_body(json::Writer& writer, const Route& route);

}  // namespace shopbell::http

// Writes the request bodies of the OpenAPI document.
#pragma once

#include "http/wire/route.h"
#include "json/writer.h"

namespace shopbell::http {

// Writes the member `requestBody`, if the route has a body.
void write_body(json::Writer& writer, const Operation& route);

}  // namespace shopbell::http

// Converts the output of an operation to an HTTP response.
#pragma once

#include "http/wire/message.h"
#include "operations/output.h"

namespace shopbell::http {

// The link to the next page repeats the path and query of `request`.
Response response_of(operations::Output output, const Request& request);

}  // namespace shopbell::http

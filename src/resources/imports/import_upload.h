// The upload of an import: a form with the parts type, options and file, or the file alone with
// everything else in the query. The file goes into the storage while it comes in.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/call.h"
#include "json/reading.h"
#include "resources/imports/file_intake.h"
#include "resources/imports/import.h"

namespace shopbell::imports {

// What was sent, once all of it is in the storage; without what only the store knows. Throws the
// Problem that refuses it, as early as it can be known.
boost::asio::awaitable<Import> receive(http::Call call, FileIntake& intake);

// Ends the request when there are faults: those of a file alone are of the query's parameters.
void finish_reading(const http::Call& call, const json::Reading& reading);

}  // namespace shopbell::imports

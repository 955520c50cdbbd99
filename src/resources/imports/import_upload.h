// The upload of an import: a form with the parts type, options and file, or the file alone with
// everything else in the query. The file is streamed into the storage.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "json/reading.h"
#include "operations/input.h"
#include "resources/imports/file_intake.h"
#include "resources/imports/import.h"

namespace shopbell::imports {

// Returns the request once the whole file is stored; names are not resolved yet. Throws the Problem
// that refuses the request as early as possible.
boost::asio::awaitable<Import> receive(operations::Input input, FileIntake& intake);

// Throws the faults of the reading, if any. Without a form they are faults of query parameters.
void finish_reading(const operations::Input& input, const json::Reading& reading);

}  // namespace shopbell::imports

// Exports that a command writes straight into a file, without a job. The rules of createExport
// apply.
#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "operations/input.h"
#include "resources/exports/export.h"
#include "resources/exports/export_run.h"
#include "storage/storage.h"

namespace shopbell::exports {

// checked_export() returns the export in the request body, checked against the store's data. It
// throws the Problem that refuses the export.
enum class Asked { rows, report };
boost::asio::awaitable<Export> checked_export(operations::Input input, Asked asked);

boost::asio::awaitable<Outcome> export_to(boost::asio::io_context& loop, std::string reader_url,
                                          std::int64_t account, Export request,
                                          storage::Upload& upload, Report report);

}  // namespace shopbell::exports

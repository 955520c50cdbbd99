// Exports that a command writes straight into a file, without a job; the rules are those of
// createExport.
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

// The export that the body asks for, checked against the store's data. Throws the Problem that
// refuses it.
enum class Asked { rows, report };
boost::asio::awaitable<Export> checked_export(operations::Input input, Asked asked);

boost::asio::awaitable<Outcome> export_to(boost::asio::io_context& loop, std::string reader_url,
                                          std::int64_t account, Export request,
                                          storage::Upload& upload, Report report);

}  // namespace shopbell::exports

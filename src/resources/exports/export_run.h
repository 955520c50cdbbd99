// Writes the rows of an export to a file, block by block, from one snapshot of the database. The
// blocks are compressed, hashed and streamed into the storage.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <boost/asio/awaitable.hpp>

#include "pg/snapshot.h"
#include "resources/exports/export.h"
#include "resources/exports/export_json.h"
#include "storage/storage.h"

namespace shopbell::exports {

// Called after every block; may throw to end the export.
using Report = std::function<void(const Progress& progress)>;

// The snapshot must be open for the account. The caller finishes the upload. Cancelling the
// snapshot ends every wait.
boost::asio::awaitable<Outcome> write_rows(pg::Snapshot& snapshot, std::int64_t account,
                                           Export request, storage::Upload& upload, Report report);

}  // namespace shopbell::exports

// How the rows of an export become a file: from a snapshot of the store, block by block, packed and
// hashed on their way into the storage.
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

// Told after every block; may throw to end it.
using Report = std::function<void(const Progress& progress)>;

// The snapshot is open, for that account. The upload is not finished yet when it returns. Whatever
// is waited for ends when the snapshot is cancelled.
boost::asio::awaitable<Outcome> write_rows(pg::Snapshot& snapshot, std::int64_t account,
                                           Export wish, storage::Upload& upload, Report report);

}  // namespace shopbell::exports

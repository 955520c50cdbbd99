// The import job: reads the file and applies its rows in chunks. Each chunk commits together with
// the job's progress, so that the next attempt continues after the last committed chunk.
#pragma once

#include "base/limits.h"
#include "jobs/worker.h"
#include "keyring/keyring.h"
#include "pg/pool.h"
#include "storage/storage.h"

namespace shopbell::imports {

// `data` connects as the API role, `jobs` as the worker role. A transaction has at most
// `chunk_rows` rows.
jobs::Kind import_kind(pg::Pool& data, pg::Pool& jobs, const keyring::Keyring& keyring,
                       storage::Storage& storage, std::size_t chunk_rows = limits::kImportRows);

}  // namespace shopbell::imports

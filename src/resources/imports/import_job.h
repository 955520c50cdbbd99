// The job of an import: reads its file and applies the rows, chunk by chunk, each with how far it
// has come in one transaction. Whoever takes it over goes on behind the last one.
#pragma once

#include "base/limits.h"
#include "jobs/worker.h"
#include "keyring/keyring.h"
#include "pg/pool.h"
#include "storage/storage.h"

namespace shopbell::imports {

// `data` has the rights of a request, `jobs` those of the worker; `together` is how many rows one
// transaction has at most.
jobs::Kind import_kind(pg::Pool& data, pg::Pool& jobs, const keyring::Keyring& keyring,
                       storage::Storage& storage, std::size_t together = limits::kImportRows);

}  // namespace shopbell::imports

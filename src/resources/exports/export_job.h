// The export job, which writes the file of an export.
#pragma once

#include <string>

#include "jobs/worker.h"
#include "storage/storage.h"

namespace shopbell::exports {

// `reader_url` is the connection string of the reader's role.
jobs::Kind export_kind(std::string reader_url, storage::Storage& storage);

}  // namespace shopbell::exports

// Uploaded files in the database: the only place that names these queries. Every file is recorded,
// under its own id, before its first byte is stored. The upload renews the lease of the record
// until a job owns the file. Cleanup removes files whose lease has expired.
#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/uuid.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "pg/result.h"

namespace shopbell::imports {

struct UploadedFile {
  std::int64_t account = 0;
  Uuid id;
  std::string name;  // name in the storage
};

// Counts the account's uploads in progress.
void read_uploads(pg::Group& reads, std::int64_t account);
std::int64_t found_uploads(const pg::Result& result);

// Fails, with is_full(), if the account already has `most` unfinished uploads and imports.
boost::asio::awaitable<void> insert_upload(pg::Pool& database, pg::Scope scope, UploadedFile file,
                                           std::int64_t most);
// False if the lease has expired.
boost::asio::awaitable<bool> renew_upload(pg::Pool& database, pg::Scope scope, UploadedFile file);
// Belongs into the group that queues the job; fails, with is_gone(), if the lease has expired.
void adopt_upload(pg::Group& effect, const UploadedFile& file, const Uuid& job);
bool is_gone(const pg::Error& error);
bool is_full(const pg::Error& error);
// Ends the lease, so that the file can be removed. False if a job owns the file.
boost::asio::awaitable<bool> drop_upload(pg::Pool& database, pg::Scope scope, UploadedFile file);

}  // namespace shopbell::imports

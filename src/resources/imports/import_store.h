// Uploaded files in the database. Only this file uses their queries. Every file is recorded,
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
  std::string name;  // name of the file in the storage
};

// Counts the account's uploads in progress.
void read_uploads(pg::Group& reads, std::int64_t account);
std::int64_t found_uploads(const pg::Result& result);

// Records an upload. Fails, with is_full(), at `most` unfinished uploads and imports.
boost::asio::awaitable<void> insert_upload(pg::Pool& database, pg::Scope scope, UploadedFile file,
                                           std::int64_t most);
// Renews the upload's lease. Returns false if the lease has expired.
boost::asio::awaitable<bool> renew_upload(pg::Pool& database, pg::Scope scope, UploadedFile file);
// Gives the file to the job, in the group that queues it. Fails, with is_gone(), after the lease.
void adopt_upload(pg::Group& effect, const UploadedFile& file, const Uuid& job);
bool is_gone(const pg::Error& error);
bool is_full(const pg::Error& error);
// Ends the lease, so that cleanup can remove the file. Returns false if a job owns the file.
boost::asio::awaitable<bool> drop_upload(pg::Pool& database, pg::Scope scope, UploadedFile file);

}  // namespace shopbell::imports

// Files that imports bring, in the database: the only place that names these queries. Every file is
// written down before its first byte is stored, under an id of its own; its upload says again and
// again that it is wanted, and the job takes it over. What nobody wants any more is removed.
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
  std::string name;  // in the storage
};

// How many of the account are under way.
void read_uploads(pg::Group& reads, std::int64_t account);
std::int64_t found_uploads(const pg::Result& result);

// Refused, in a way that is_full() knows, when as many are under way as there may be.
// Of so many at most, with the imports that are unfinished.
boost::asio::awaitable<void> insert_upload(pg::Pool& database, pg::Scope scope, UploadedFile file,
                                           std::int64_t most);
// False when it was given up.
boost::asio::awaitable<bool> renew_upload(pg::Pool& database, pg::Scope scope, UploadedFile file);
// In the group that queues the job: refused, in a way that is_gone() knows, when it was given up.
void adopt_upload(pg::Group& effect, const UploadedFile& file, const Uuid& job);
bool is_gone(const pg::Error& error);
bool is_full(const pg::Error& error);
// False when a job has it.
boost::asio::awaitable<bool> drop_upload(pg::Pool& database, pg::Scope scope, UploadedFile file);

}  // namespace shopbell::imports

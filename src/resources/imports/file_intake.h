// FileIntake: streams an uploaded file into the storage, block by block, as it was sent. The file
// is recorded in the database before its first byte is stored, so that cleanup finds it after a
// crash.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/digest.h"
#include "base/time.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "resources/imports/import_store.h"
#include "runtime/wait.h"
#include "storage/storage.h"

namespace shopbell::imports {

class FileIntake {
 public:
  // `database` and `storage` must outlive this object. begin() fails, with is_full(), if the
  // account already has `most` unfinished uploads and imports.
  FileIntake(pg::Pool& database, storage::Storage& storage, std::int64_t account, Instant now,
             std::int64_t most);

  // Begins the upload. `coding` is the compression that the sender declares: none, gzip, zstd.
  boost::asio::awaitable<void> begin(std::string coding);
  // Stores a block. Throws file-unreadable as soon as the first bytes show an unreadable file.
  boost::asio::awaitable<void> add(std::string block);
  // Completes the upload. Call this after the last block.
  boost::asio::awaitable<void> finish();
  bool begun() const { return begun_; }

  // Makes the job the owner of the file. Call this in the group that queues the job.
  void adopt(pg::Group& effect, const Uuid& job) const { adopt_upload(effect, file_, job); }
  // Removes the file unless a job owns it. Throws nothing: if the removal fails, cleanup removes
  // the file when its lease ends.
  boost::asio::awaitable<void> drop();

  const std::string& name() const { return file_.name; }
  const std::string& coding() const { return coding_; }
  std::int64_t bytes() const { return bytes_; }
  const Sha256& sha256() const { return sha256_; }  // valid after finish()

 private:
  pg::Scope scope() const;  // returns a scope with a new deadline
  void detect_compression(bool whole);
  boost::asio::awaitable<void> renew();

  pg::Pool& database_;
  storage::Storage& storage_;
  const std::int64_t most_;
  UploadedFile file_;
  std::unique_ptr<storage::Upload> upload_;
  bool begun_ = false;
  bool detected_ = false;
  std::string beginning_;  // first bytes, held back until the magic number is complete
  std::string coding_ = "none";
  std::int64_t bytes_ = 0;
  Sha256Stream hash_;
  Sha256 sha256_{};
  runtime::Steady::time_point renewed_;
};

}  // namespace shopbell::imports

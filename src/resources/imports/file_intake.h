// FileIntake: a file on its way into the storage, block by block, as it was sent. It is written
// down before its first byte is stored, so that none is forgotten whatever dies when.
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
  // They must outlive it. It is refused where `most` are under way.
  FileIntake(pg::Pool& database, storage::Storage& storage, std::int64_t account, Instant now,
             std::int64_t most);

  // `coding` is how the sender says the file is packed: none, gzip, zstd. Throws file-unreadable
  // for what cannot be read whatever follows.
  boost::asio::awaitable<void> begin(std::string coding);
  boost::asio::awaitable<void> add(std::string block);
  // It is whole.
  boost::asio::awaitable<void> finish();
  bool begun() const { return begun_; }

  // In the group that queues the job that reads it.
  void adopt(pg::Group& effect, const Uuid& job) const { adopt_upload(effect, file_, job); }
  // Takes everything back, unless a job has it. Throws nothing: what cannot be removed now is when
  // its time has come.
  boost::asio::awaitable<void> drop();

  const std::string& name() const { return file_.name; }
  const std::string& coding() const { return coding_; }
  std::int64_t bytes() const { return bytes_; }
  const Sha256& sha256() const { return sha256_; }  // once it is whole

 private:
  pg::Scope scope() const;  // from now on
  void look_at_beginning(bool whole);
  boost::asio::awaitable<void> renew();

  pg::Pool& database_;
  storage::Storage& storage_;
  const std::int64_t most_;
  UploadedFile file_;
  std::unique_ptr<storage::Upload> upload_;
  bool begun_ = false;
  bool looked_ = false;
  std::string beginning_;  // held back until it shows what the file is
  std::string coding_ = "none";
  std::int64_t bytes_ = 0;
  Sha256Stream hash_;
  Sha256 sha256_{};
  runtime::Steady::time_point renewed_;
};

}  // namespace shopbell::imports

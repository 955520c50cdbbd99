#include "resources/imports/file_intake.h"

#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "observe/log.h"

namespace shopbell::imports {

namespace {

// Magic numbers of compressed files.
constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
constexpr std::string_view kZip = "PK\x03\x04";
constexpr std::size_t kLongestMark = 4;

Problem unreadable(std::string detail) { return {Code::file_unreadable, std::move(detail)}; }

Problem lease_expired() {
  return Problem{Code::unavailable,
                 "The database was unreachable for too long; send the file again."}
      .with_header("Retry-After", "1");
}

}  // namespace

FileIntake::FileIntake(pg::Pool& database, storage::Storage& storage, std::int64_t account,
                       Instant now, std::int64_t most)
    : database_{database}, storage_{storage}, most_{most} {
  file_.account = account;
  file_.id = Uuid::v7(now);
  file_.name = std::format("imports/{}/{}", account, file_.id.to_string());
}

pg::Scope FileIntake::scope() const {
  return {.account = file_.account, .deadline = pg::Steady::now() + limits::kRequestDeadline};
}

boost::asio::awaitable<void> FileIntake::begin(std::string coding) {
  coding_ = std::move(coding);
  begun_ = true;
  co_await insert_upload(database_, scope(), file_, most_);
  renewed_ = runtime::Steady::now();
  upload_ = co_await storage_.create(file_.name);
}

boost::asio::awaitable<void> FileIntake::add(std::string block) {
  hash_.add(block);
  bytes_ += static_cast<std::int64_t>(block.size());
  if (!detected_) {
    beginning_ += block;
    detect_compression(false);
    if (!detected_) co_return;
    block = std::move(beginning_);
  }
  co_await upload_->write(std::move(block));
  if (runtime::Steady::now() - renewed_ > limits::kUploadRenewal) co_await renew();
}

boost::asio::awaitable<void> FileIntake::finish() {
  if (!detected_) {
    detect_compression(true);
    co_await upload_->write(std::move(beginning_));
  }
  sha256_ = hash_.finish();
  co_await upload_->finish();
  co_await renew();
}

// Detects the compression by the first bytes. A declared Content-Encoding must agree with it.
void FileIntake::detect_compression(bool whole) {
  if (beginning_.size() < kLongestMark && !whole) return;
  detected_ = true;
  if (beginning_.empty()) throw unreadable("The file is empty.");
  if (beginning_.starts_with(kZip))
    throw unreadable("The file is a ZIP archive or a spreadsheet; send the CSV itself.");
  const std::string found = beginning_.starts_with(kGzip)   ? "gzip"
                            : beginning_.starts_with(kZstd) ? "zstd"
                                                            : "none";
  if (coding_ != "none" && coding_ != found)
    throw unreadable(
        std::format("The Content-Encoding is {}, but the file is not in this format.", coding_));
  coding_ = found;
}

boost::asio::awaitable<void> FileIntake::renew() {
  if (!co_await renew_upload(database_, scope(), file_)) throw lease_expired();
  renewed_ = runtime::Steady::now();
}

boost::asio::awaitable<void> FileIntake::drop() {
  if (!begun_) co_return;
  upload_.reset();
  try {
    if (co_await drop_upload(database_, scope(), file_)) co_await storage_.remove(file_.name);
  } catch (const std::exception& error) {
    observe::log(observe::Level::warn, "an upload was not removed; cleanup will remove it",
                 {{"why", error.what()}});
  }
}

}  // namespace shopbell::imports

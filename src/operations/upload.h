// Upload: a body too large for memory, which the operation reads while it arrives. It is a single
// file, or a form of several parts.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/digest.h"
#include "runtime/wait.h"

namespace shopbell::operations {

class Upload {
 public:
  struct Part {
    std::string name;
    std::optional<std::string> file_name;  // file name that the client sent
    std::string content_type;              // Content-Type of the part; empty if missing

    bool operator==(const Part&) const = default;
  };

  virtual ~Upload() = default;

  virtual bool is_form() const = 0;
  // The media type of a single file, in lower case, and its coding: "gzip", "zstd" or "none".
  virtual std::string media_type() const = 0;
  virtual std::string coding() const = 0;

  // Returns the next part of a form; nullopt at the end. Skips the rest of the previous part.
  virtual boost::asio::awaitable<std::optional<Part>> next_part() = 0;
  // Returns the next block of the file, or of the form's current part; empty at the end.
  virtual boost::asio::awaitable<std::string> read() = 0;

  runtime::Steady::time_point last_read() const { return last_read_; }
  // Restarts the deadline, for example after storing a block.
  void touch() { last_read_ = runtime::Steady::now(); }

  // A hash of the body's content, independent of its encoding: a repeated form has another
  // boundary. The operation sets it before it writes; the idempotency check compares it.
  void set_digest(const Sha256& digest) { digest_ = digest; }
  const Sha256& digest() const;

 protected:
  // Throws `upload-too-slow` if the upload has taken longer than limits::kUploadMost.
  void check_duration() const;

 private:
  const runtime::Steady::time_point began_ = runtime::Steady::now();
  runtime::Steady::time_point last_read_ = began_;
  std::optional<Sha256> digest_;
};

}  // namespace shopbell::operations

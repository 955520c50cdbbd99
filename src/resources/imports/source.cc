#include "resources/imports/source.h"

#include <format>

#include "base/limits.h"
#include "base/problem.h"

namespace shopbell::imports {

namespace {

constexpr std::size_t kBlock = std::size_t{256} * 1024;

Problem unreadable(compress::InflateFault fault) {
  switch (fault) {
    case compress::InflateFault::bomb:
      return {Code::file_unreadable, "The compression ratio of the file is too high."};
    case compress::InflateFault::too_large:
      return {Code::file_unreadable, "The uncompressed file exceeds 1 GiB."};
    case compress::InflateFault::malformed:
      return {Code::file_unreadable, "The file is damaged: it cannot be decompressed to its end."};
  }
  std::unreachable();
}

}  // namespace

Source::Source(storage::Storage& storage, std::string file, const std::string& coding)
    : storage_{storage},
      file_{std::move(file)},
      coding_{compress::coding_of(coding).value_or(compress::Coding::identity)} {}

boost::asio::awaitable<void> Source::open(std::uint64_t position) {
  const bool plain = coding_ == compress::Coding::identity;
  download_ = co_await storage_.open(file_, plain ? position : 0);
  if (!download_) throw Problem{Code::file_unreadable, "The file no longer exists."};
  unpacker_ = std::make_unique<compress::Unpacker>(coding_);
  packed_.clear();
  taken_ = 0;
  position_ = plain ? position : 0;
  skipped_to_ = position;
}

boost::asio::awaitable<std::string> Source::unpack() {
  std::string plain;
  while (plain.empty()) {
    if (taken_ == packed_.size()) {
      packed_ = co_await download_->read();
      taken_ = 0;
      if (packed_.empty()) {
        if (!unpacker_->is_whole()) throw unreadable(compress::InflateFault::malformed);
        break;
      }
    }
    std::string_view left = std::string_view{packed_}.substr(taken_);
    const auto done = unpacker_->unpack(left, plain, kBlock);
    if (!done) throw unreadable(done.error());
    taken_ = packed_.size() - left.size();
  }
  co_return plain;
}

boost::asio::awaitable<std::string> Source::read() {
  while (true) {
    std::string plain = co_await unpack();
    if (plain.empty()) co_return plain;
    position_ += plain.size();
    if (position_ > limits::kUploadBytes) throw unreadable(compress::InflateFault::too_large);
    if (position_ <= skipped_to_) continue;
    if (const std::uint64_t fresh = position_ - skipped_to_; fresh < plain.size())
      plain.erase(0, plain.size() - fresh);
    skipped_to_ = position_;
    co_return plain;
  }
}

}  // namespace shopbell::imports

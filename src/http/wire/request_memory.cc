#include "http/wire/request_memory.h"

namespace shopbell::http {

RequestMemory::RequestMemory(observe::Metrics& metrics, std::size_t most, std::size_t share)
    : most_{most},
      share_{share},
      held_{metrics.gauge("shopbell_request_memory_bytes",
                          "Memory of long heads, bodies and large responses.")},
      refused_{metrics.counter("shopbell_request_memory_refused_total",
                               "Requests refused with 503 for lack of request memory.")} {}

bool RequestMemory::fits(std::int64_t account, std::size_t bytes) const {
  const auto found = accounts_.find(account);
  const std::size_t own = found == accounts_.end() ? 0 : found->second;
  return all_ + bytes <= most_ && own + bytes <= share_;
}

bool RequestMemory::has_room(std::int64_t account) const {
  if (all_ <= share_) return true;  // needs no lock: no account can exceed its share
  const std::scoped_lock lock{mutex_};
  if (fits(account, 0)) return true;
  refused_.add();
  return false;
}

void RequestMemory::take(std::int64_t account, std::size_t bytes) {
  all_ += bytes;
  accounts_[account] += bytes;
  held_.add(static_cast<double>(bytes));
}

void RequestMemory::give_back(std::int64_t account, std::size_t bytes) {
  const std::scoped_lock lock{mutex_};
  all_ -= bytes;
  const auto own = accounts_.find(account);
  own->second -= bytes;
  if (own->second == 0) accounts_.erase(own);
  held_.add(-static_cast<double>(bytes));
}

RequestMemory::Hold::Hold(Hold&& other) noexcept
    : memory_{other.memory_}, account_{other.account_}, bytes_{std::exchange(other.bytes_, 0)} {}

RequestMemory::Hold& RequestMemory::Hold::operator=(Hold&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(account_, other.account_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

bool RequestMemory::Hold::grow(std::size_t bytes) {
  if (memory_ == nullptr) return true;
  const std::scoped_lock lock{memory_->mutex_};
  if (!memory_->fits(account_, bytes)) {
    memory_->refused_.add();
    return false;
  }
  memory_->take(account_, bytes);
  bytes_ += bytes;
  return true;
}

void RequestMemory::Hold::add(std::size_t bytes) {
  if (memory_ == nullptr) return;
  const std::scoped_lock lock{memory_->mutex_};
  memory_->take(account_, bytes);
  bytes_ += bytes;
}

void RequestMemory::Hold::release() {
  if (bytes_ > 0) memory_->give_back(account_, std::exchange(bytes_, 0));
}

Problem no_memory_problem() {
  return Problem{Code::unavailable,
                 "The service has no memory left for this request. Try again, with less data at "
                 "once."}
      .with_header("Retry-After", "1");
}

}  // namespace shopbell::http

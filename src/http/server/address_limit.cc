#include "http/server/address_limit.h"

#include <algorithm>

#include "base/ip.h"
#include "rates/rate_limit.h"

namespace shopbell::http {

AddressLimit::AddressLimit(std::size_t most, std::vector<std::string> trusted)
    : most_{most}, trusted_{std::move(trusted)} {}

std::optional<AddressLimit::Place> AddressLimit::admit(std::string_view address) {
  const bool exempt = most_ == 0 || std::ranges::any_of(trusted_, [&](const auto& range) {
                        return address_in(address, range);
                      });
  if (exempt) return Place{};
  std::string network = rates::network_of(address);
  const std::scoped_lock lock{mutex_};
  std::size_t& open = open_[network];
  if (open >= most_) return std::nullopt;
  ++open;
  return Place{this, std::move(network)};
}

AddressLimit::Place::~Place() {
  if (limit_ == nullptr) return;
  const std::scoped_lock lock{limit_->mutex_};
  const auto found = limit_->open_.find(network_);
  if (--found->second == 0) limit_->open_.erase(found);
}

}  // namespace shopbell::http

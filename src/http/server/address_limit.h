// AddressLimit: limits the open connections of one client address. One object per process, used by
// every loop.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace shopbell::http {

class AddressLimit {
 public:
  // `most` 0: no limit. Trusted proxies are exempt, because they have the connections of many
  // clients. `trusted` has addresses and networks.
  AddressLimit(std::size_t most, std::vector<std::string> trusted);

  // One connection; releases it at its end.
  class Place {
   public:
    Place() = default;  // an empty object that holds no connection
    Place(AddressLimit* limit, std::string network) : limit_{limit}, network_{std::move(network)} {}
    Place(Place&& other) noexcept
        : limit_{std::exchange(other.limit_, nullptr)}, network_{std::move(other.network_)} {}
    Place& operator=(Place&& other) = delete;
    ~Place();

   private:
    AddressLimit* limit_ = nullptr;
    std::string network_;
  };

  // Returns nullopt if the address has too many connections. All addresses of an IPv6 /64 network
  // count as one.
  std::optional<Place> admit(std::string_view address);

 private:
  const std::size_t most_;
  const std::vector<std::string> trusted_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> open_;  // open connections by network
};

}  // namespace shopbell::http

// FrozenBackends: stops some of the PostgreSQL processes that serve Shopbell (SIGSTOP), so that
// requests time out in the middle of whatever they do. The destructor resumes them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <sys/types.h>

namespace shopbell::proofs {

class FrozenBackends {
 public:
  // Freezes each backend with a probability of one half. `admin_url` names the service's database.
  FrozenBackends(const std::string& admin_url, std::mt19937_64& random);
  ~FrozenBackends();
  FrozenBackends(const FrozenBackends&) = delete;
  FrozenBackends& operator=(const FrozenBackends&) = delete;

  std::size_t size() const { return backends_.size(); }

 private:
  std::vector<pid_t> backends_;
};

}  // namespace shopbell::proofs

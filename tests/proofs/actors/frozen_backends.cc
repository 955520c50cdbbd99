#include "tests/proofs/actors/frozen_backends.h"

#include <csignal>

#include "pg/script.h"

namespace shopbell::proofs {

FrozenBackends::FrozenBackends(const std::string& admin_url, std::mt19937_64& random) {
  const pg::Result found = pg::Script{admin_url}.query(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'shopbell' ORDER BY pid");
  for (std::size_t i = 0; i < found.size(); ++i)
    if (random() % 2 == 0) backends_.push_back(static_cast<pid_t>(found[i].integer("pid")));
  for (const pid_t backend : backends_) ::kill(backend, SIGSTOP);
}

FrozenBackends::~FrozenBackends() {
  for (const pid_t backend : backends_) ::kill(backend, SIGCONT);
}

}  // namespace shopbell::proofs

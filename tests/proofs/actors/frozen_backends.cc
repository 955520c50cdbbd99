#include "tests/proofs/actors/frozen_backends.h"

#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "base/limits.h"
#include "pg/script.h"

namespace shopbell::proofs {

void freeze_backends(const std::string& admin_url, std::mt19937_64& random) {
  const pg::Result found = pg::Script{admin_url}.query(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'shopbell' ORDER BY pid");
  std::vector<pid_t> backends;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (random() % 2 == 0) backends.push_back(static_cast<pid_t>(found[i].integer("pid")));
  for (const pid_t backend : backends) ::kill(backend, SIGSTOP);
  std::this_thread::sleep_for(limits::kRequestDeadline + std::chrono::milliseconds{500});
  for (const pid_t backend : backends) ::kill(backend, SIGCONT);
}

}  // namespace shopbell::proofs

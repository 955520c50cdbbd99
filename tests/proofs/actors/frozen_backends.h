// Freezes PostgreSQL processes that serve Shopbell, so that requests time out in the middle of
// their work.
#pragma once

#include <random>
#include <string>

namespace shopbell::proofs {

// Stops each backend with a probability of one half (SIGSTOP), for longer than a request may take,
// and resumes it. `admin_url` names the service's database.
void freeze_backends(const std::string& admin_url, std::mt19937_64& random);

}  // namespace shopbell::proofs

// Island: a child process in its own network namespace. Every address, public or not, routes to the
// loopback device, and DNS queries go to port 53 there. No packet leaves it.
#pragma once

#include <functional>
#include <string>

namespace shopbell::proofs {

// Runs `work` in the child and returns its result. Throws if the child fails, or if the system does
// not allow network namespaces.
std::string on_island(const std::function<std::string()>& work);

}  // namespace shopbell::proofs

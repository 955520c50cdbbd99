// Island: a process with a network of its own, in which every address there is, public or not,
// leads back to itself, and whose names are resolved by whoever serves port 53 there. Nothing
// leaves it.
#pragma once

#include <functional>
#include <string>

namespace shopbell::proofs {

// Does the work in a child and returns what that returned. Throws when the child ends otherwise, or
// where the system lets nobody make networks.
std::string on_island(const std::function<std::string()>& work);

}  // namespace shopbell::proofs

// Compares what two API keys allow, by their scopes, expiry, addresses and rate limits. A
// key cannot create, edit or become a key that allows more than itself.
#pragma once

#include <vector>

#include "base/problem.h"
#include "resources/keys/api_key.h"

namespace shopbell::keys {

// One fault for each scope, address or limit by which `key` exceeds `caller`.
std::vector<Fault> excess_of(const ApiKey& key, const ApiKey& caller);

// Throws if `key` exceeds `caller`: `scope-missing` for a scope, `key-too-wide` for anything else.
void require_within(const ApiKey& key, const ApiKey& caller);

}  // namespace shopbell::keys

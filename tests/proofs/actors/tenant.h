// Tenant: one of several isolated accounts, and counters of the cross-account attempts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/proofs/actors/catalogue.h"
#include "tests/proofs/actors/maker.h"
#include "tests/proofs/actors/stage.h"

namespace shopbell::proofs {

struct Tenant {
  std::string name;
  std::string mark;
  Account account;
  std::map<const Route*, Object> objects;  // an object for every route whose path names one
};

// The live and the test account of each store. Each account has its own mark, also in its name.
std::vector<Tenant> create_tenants(Stage& stage, int stores, std::uint64_t seed);

// Creates an object for every route through the API, each with the tenant's mark in its strings.
// Returns the number of objects.
std::size_t fill(Tenant& tenant, const Catalogue& catalogue, Maker& maker);

// Returns the paths that a tenant can read: those without parameters, and those of its own objects.
std::vector<std::pair<const Route*, std::string>> readable(const Tenant& tenant,
                                                           const Catalogue& catalogue);

struct Counts {
  std::size_t objects = 0;
  std::size_t foreign_ids = 0;
  std::size_t cursors = 0;
  std::size_t idempotency_keys = 0;
  std::atomic<std::size_t> answers = 0;
  std::atomic<std::size_t> leaks = 0;
};

}  // namespace shopbell::proofs

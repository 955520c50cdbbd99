// Ids and choices that follow from their input alone: repeating a step gives the same ones.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::engine {

// A UUIDv8: 48 bits of `at` in milliseconds, then 74 bits of a hash of the parts.
Uuid derived_id(Instant at, std::span<const std::string_view> parts);

// Returns the index of the chosen part: by a hash of account, workflow, node and contact, so that
// it is the same for a person each time, independent between nodes, and follows the weights exactly
// in the long run.
std::size_t split_part(std::int64_t account, const Uuid& workflow, std::string_view node,
                       const Uuid& contact, std::span<const std::int64_t> weights);

}  // namespace shopbell::engine

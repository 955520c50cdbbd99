// Interest: the kinds of events that the log reads for an account's workflows, and the version of
// their states. The lanes read both with every batch.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "engine/definition.h"
#include "pg/group.h"

namespace shopbell::workflows {

// The kinds that the log reads for a definition: those that the engine asks for, and purchases if
// some may be attributed to it.
std::set<std::string> kinds_of(const engine::Definition& definition);

// Adds the kinds to those that the log reads for the account, and raises the version, so that the
// lanes read the workflows again before their next batch. Kinds are only added: runs of earlier
// versions may wait for them. The internal kinds of runs are always added.
void raise_interest(pg::Group& effect, std::int64_t account, std::set<std::string> kinds);

}  // namespace shopbell::workflows

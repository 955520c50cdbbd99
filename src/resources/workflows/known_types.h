// The types of the values that an account's definitions refer to: its contacts, its store, and its
// events. Validation and the compiler of the engine use the same types.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/definition.h"
#include "resources/workflows/known_world.h"

namespace shopbell::workflows {

// Returns the types with which engine::compile() compiles the account's definitions. Uses only the
// fields and event types of the world (read_types() in workflow_store.h).
engine::KnownTypes known_types(const KnownWorld& world);

ValueType contact_type(const KnownWorld& world);
ValueType store_type();
// The type of an event as clients see it, around the type of its data.
ValueType envelope_of(ValueType data);
// The type of the service's own events of a kind; nullopt if there is no such kind.
std::optional<ValueType> type_of_own_event(std::string_view kind);

// Compiles a stored definition. Throws std::invalid_argument if it names a field or an event type
// that the account no longer has.
engine::Definition compiled(std::string_view definition, std::int64_t version,
                            const engine::KnownTypes& types);

}  // namespace shopbell::workflows

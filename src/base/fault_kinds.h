// The codes of faults: what stands as `code` in errors[] and warnings[], and what it means wherever
// it stands.
#pragma once

#include <array>
#include <string_view>

namespace shopbell {

struct FaultKind {
  std::string_view code;
  std::string_view meaning;
};

inline constexpr std::array kFaultKinds{
    FaultKind{"conflicts-with",
              "It does not go together with another member, or with what is "
              "stored. The detail names it."},
    FaultKind{"consent-needs-proof",
              "The person has unsubscribed. Only a consent[] entry later than that "
              "subscribes them again; the rest was applied."},
    FaultKind{"duplicate", "It is there more than once, or was used before."},
    FaultKind{"endless-loop",
              "The nodes of a workflow come round to this one without a wait of a minute or more."},
    FaultKind{"invalid-format", "It is not written as it must be. The detail says how."},
    FaultKind{"not-an-option", "It is none of the values that can be chosen."},
    FaultKind{"out-of-range", "The number is too small or too large."},
    FaultKind{"read-only", "It cannot change once the object is there."},
    FaultKind{"required", "It is missing, or null where a value is needed."},
    FaultKind{"too-long", "A text has too many characters, or a list too many elements."},
    FaultKind{"too-short", "A text has too few characters."},
    FaultKind{"unknown-member", "The object has no member of that name."},
    FaultKind{"unknown-parameter", "The operation has no query parameter of that name."},
    FaultKind{"unknown-reference",
              "It names something that does not exist: a node, a template, a value."},
    FaultKind{"unreachable", "No edge of the workflow leads to this node."},
    FaultKind{"wrong-type", "It is of another JSON type than it must be."},
};

}  // namespace shopbell

// Fault codes: the values of `code` in errors[] and warnings[] with their meanings.
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
              "The value conflicts with another member or with stored data. The detail names it."},
    FaultKind{"consent-needs-proof",
              "The contact has unsubscribed. Only a later consent[] entry subscribes them again; "
              "the rest of the request was applied."},
    FaultKind{"duplicate", "The value occurs more than once, or was used before."},
    FaultKind{"endless-loop",
              "The workflow loops back to this node without a wait of at least one minute."},
    FaultKind{"invalid-format",
              "The value has the wrong format. The detail describes the right one."},
    FaultKind{"invalid-liquid",
              "The template has an error at this line and column. The detail describes it."},
    FaultKind{"not-an-option", "The value is not one of the allowed values."},
    FaultKind{"no-unsubscribe-link",
              "A marketing message must show {{ unsubscribe_url }}, whatever the data are."},
    FaultKind{"out-of-range", "The number is too small or too large."},
    FaultKind{"read-only", "The member cannot change after the object was created."},
    FaultKind{"required", "The member is missing, or null where a value is required."},
    FaultKind{"too-long", "A text has too many characters, or a list too many elements."},
    FaultKind{"too-short", "A text has too few characters."},
    FaultKind{"unknown-member", "The object has no member with that name."},
    FaultKind{"unknown-parameter", "The operation has no query parameter with that name."},
    FaultKind{"unknown-reference",
              "The value refers to a node, template or value that does not exist."},
    FaultKind{"unreachable", "No edge of the workflow leads to this node."},
    FaultKind{"wrong-type", "The value has the wrong JSON type."},
};

}  // namespace shopbell

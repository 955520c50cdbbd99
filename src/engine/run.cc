#include "engine/run.h"

#include <array>

namespace shopbell::engine {

std::string_view name_of(RunState state) {
  constexpr std::array<std::string_view, 5> kNames{"open", "held", "parked", "done", "ended"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace shopbell::engine

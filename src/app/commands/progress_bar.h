// ProgressBar: redraws a progress bar on standard error, if that is a terminal.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/wait.h"

namespace shopbell::app {

class ProgressBar {
 public:
  ProgressBar();
  void draw(std::int64_t rows, std::optional<std::int64_t> total, bool last);

 private:
  const bool is_terminal_;
  const runtime::Steady::time_point began_ = runtime::Steady::now();
  runtime::Steady::time_point drawn_at_{};
};

}  // namespace shopbell::app

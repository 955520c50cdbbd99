#include "app/commands/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <print>
#include <string>

#include <unistd.h>

namespace shopbell::app {

using runtime::Steady;

ProgressBar::ProgressBar() : is_terminal_{::isatty(STDERR_FILENO) == 1} {}

void ProgressBar::draw(std::int64_t rows, std::optional<std::int64_t> total, bool last) {
  const auto now = Steady::now();
  if (!is_terminal_ || (!last && now - drawn_at_ < std::chrono::milliseconds{100})) return;
  drawn_at_ = now;
  const double share = total && *total > 0
                           ? std::min(1.0, static_cast<double>(rows) / static_cast<double>(*total))
                           : 0;
  constexpr std::size_t kWidth = 30;
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const std::chrono::duration<double> took = now - began_;
  std::print(stderr, "\r[{}{}] {:3.0f} %  {} rows, {:.0f}/s ", std::string(filled, '#'),
             std::string(kWidth - filled, ' '), share * 100, rows,
             static_cast<double>(rows) / std::max(took.count(), 0.001));
  if (last) std::println(stderr, "");
  std::fflush(stderr);
}

}  // namespace shopbell::app

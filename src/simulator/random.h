// Random: the choices of one simulated run. They follow from the seed alone, with every compiler.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace shopbell::simulator {

class Random {
 public:
  explicit Random(std::uint64_t seed) : source_{seed} {}

  // A number in [0, below).
  std::size_t below(std::size_t below) { return static_cast<std::size_t>(source_() % below); }
  std::int64_t between(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(below(static_cast<std::size_t>(to - from + 1)));
  }
  bool one_in(std::size_t times) { return below(times) == 0; }
  template <class Value>
  const Value& pick(const std::vector<Value>& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 source_;
};

}  // namespace shopbell::simulator

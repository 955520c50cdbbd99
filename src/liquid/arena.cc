#include "liquid/arena.h"

#include <algorithm>
#include <cstring>

namespace shopbell::liquid {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{16} * 1024;
constexpr std::size_t kAlignment = alignof(std::max_align_t);

}  // namespace

void* Arena::allocate(std::size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  while (mark_.block < blocks_.size() && mark_.used + bytes > blocks_[mark_.block].size) {
    ++mark_.block;
    mark_.used = 0;
  }
  if (mark_.block == blocks_.size()) {
    const std::size_t size = std::max(bytes, kBlockBytes << std::min(blocks_.size(), 4UZ));
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    mark_.used = 0;
  }
  std::byte* memory = blocks_[mark_.block].memory.get() + mark_.used;
  mark_.used += bytes;
  mark_.bytes += bytes;
  return memory;
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  auto* memory = static_cast<char*>(allocate(text.size()));
  std::memcpy(memory, text.data(), text.size());
  return {memory, text.size()};
}

}  // namespace shopbell::liquid

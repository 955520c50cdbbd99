// Arena: memory for the values of one rendering. It is released as a whole, or back to a mark.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace shopbell::liquid {

class Arena {
 public:
  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;
    std::size_t bytes = 0;
  };

  // The memory is aligned for every type.
  void* allocate(std::size_t bytes);
  std::string_view copy(std::string_view text);

  Mark mark() const { return mark_; }
  void release(Mark mark) { mark_ = mark; }
  std::size_t bytes() const { return mark_.bytes; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
  };

  std::vector<Block> blocks_;
  Mark mark_;
};

}  // namespace shopbell::liquid

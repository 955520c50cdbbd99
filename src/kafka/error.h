// Error: why Kafka cannot be asked, or what it answered.
#pragma once

#include <stdexcept>

namespace shopbell::kafka {

class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace shopbell::kafka

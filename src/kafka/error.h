// Error: Kafka cannot be reached, or refused an operation.
#pragma once

#include <stdexcept>

namespace shopbell::kafka {

class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace shopbell::kafka

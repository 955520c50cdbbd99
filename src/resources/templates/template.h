// Template: a message template, to which workflow definitions refer.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::templates {

struct Template {
  Uuid id;
  std::string alias;
  std::string name;
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;
};

}  // namespace shopbell::templates

// Template: a message template, to which workflow definitions refer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "base/uuid.h"
#include "resources/templates/content.h"

namespace shopbell::templates {

struct Template {
  Uuid id;
  std::string alias;
  std::string name;
  std::optional<std::int64_t> published_version;  // the version published last
  std::optional<std::int64_t> draft_version;      // the version not published yet
  std::optional<Content> content;                 // only in the request that creates it
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;  // version of the row, for guarded writes
};

}  // namespace shopbell::templates

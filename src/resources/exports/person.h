// A person: everything that is held about one contact, as several files of one archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resources/exports/export_query.h"

namespace shopbell::exports {

// A file inside, and its rows. What belongs to those that were merged into the contact is the
// contact's own.
struct Part {
  std::string file;
  Statement statement;
};
std::vector<Part> parts_of_person(const Export& wish, std::int64_t account,
                                  const std::vector<OwnField>& own);

}  // namespace shopbell::exports

// The export of a person: everything stored about one contact, as several files of one archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resources/exports/export_query.h"

namespace shopbell::exports {

// A file of the archive, and the query of its rows, including those of merged contacts.
struct Part {
  std::string file;
  Statement statement;
};
std::vector<Part> parts_of_person(const Export& request, std::int64_t account,
                                  const std::vector<OwnField>& own);

}  // namespace shopbell::exports

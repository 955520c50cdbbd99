// The operation under /files/ downloads a job's file. A signed link is the only credential.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/job.h"
#include "operations/operation.h"

namespace shopbell::files {

struct Offer {
  std::string file;  // the file's name in the storage
  std::string name;  // the file's name in the link and in the download
  std::string media_type;
  std::string etag;                 // empty: the download has no ETag
  std::vector<std::string> scopes;  // the key of the link needs them, at each download
};

// For each kind of job, a function that returns the job's file; nullopt when it has none.
using Offers = std::map<std::string, std::function<std::optional<Offer>(const jobs::Job&)>>;

std::vector<operations::Operation> operation_table(Offers offers);

}  // namespace shopbell::files

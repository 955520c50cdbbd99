// /files/: what jobs have left, to whoever holds a link.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "http/route.h"
#include "jobs/job.h"

namespace shopbell::files {

struct Offer {
  std::string file;  // in the storage
  std::string name;  // as the link and the download call it
  std::string media_type;
  std::string etag;  // empty: it has none
};

// What a job of some kind offers; nothing when it has left no file.
using Offers = std::map<std::string, std::function<std::optional<Offer>(const jobs::Job&)>>;

std::vector<http::Route> routes(Offers offers);

}  // namespace shopbell::files

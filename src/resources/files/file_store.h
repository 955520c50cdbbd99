// Database access for file links.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "jobs/job.h"
#include "pg/pool.h"
#include "resources/files/file_link.h"

namespace shopbell::files {

// The job of a link. `lives` is true if the link is still valid.
struct Linked {
  jobs::Job job;
  bool lives = false;
  std::vector<std::string> key_scopes;  // scopes of the key that the link was made for
};
boost::asio::awaitable<std::optional<Linked>> find_linked(pg::Pool& database, FileLink link,
                                                          pg::Steady::time_point deadline);

}  // namespace shopbell::files

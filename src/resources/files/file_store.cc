#include "resources/files/file_store.h"

#include "jobs/job_store.h"
#include "resources/files/queries.h"

namespace shopbell::files {

boost::asio::awaitable<std::optional<Linked>> find_linked(pg::Pool& database, FileLink link,
                                                          pg::Steady::time_point deadline) {
  const pg::Result found =
      co_await database.query({.account = link.account, .deadline = deadline}, sql::get_linked_job,
                              link.account, link.job, link.key, link.until_s);
  const auto row = found.first();
  if (!row) co_return std::nullopt;
  co_return Linked{jobs::job_of(*row), row->boolean("lives"), row->texts("key_scopes")};
}

}  // namespace shopbell::files

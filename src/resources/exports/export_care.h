// Exports as an operator makes them, outside of any request: straight into a file, without a job;
// by the same rules.
#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "keyring/keyring.h"
#include "pg/pool.h"
#include "resources/exports/export.h"
#include "resources/exports/export_run.h"
#include "storage/storage.h"

namespace shopbell::exports {

// A wish as a request would send it, JSON, judged by what the store has. Throws the Problem that
// refuses.
enum class Asked { rows, report };
boost::asio::awaitable<Export> settled_wish(pg::Pool& database, pg::Scope scope,
                                            keyring::Keyring keyring, Asked asked,
                                            std::string body);

boost::asio::awaitable<Outcome> export_to(boost::asio::io_context& loop, std::string reader_url,
                                          std::int64_t account, Export wish,
                                          storage::Upload& upload, Report report);

}  // namespace shopbell::exports

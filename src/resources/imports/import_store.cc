#include "resources/imports/import_store.h"

#include "base/limits.h"
#include "jobs/job_store.h"
#include "resources/imports/import.h"
#include "resources/imports/queries.h"

namespace shopbell::imports {

namespace {

std::int64_t seconds_of(std::chrono::seconds duration) { return duration.count(); }

}  // namespace

void read_uploads(pg::Group& reads, std::int64_t account) {
  reads.add(sql::count_uploads, account);
}

std::int64_t found_uploads(const pg::Result& result) { return result[0].integer("uploads"); }

boost::asio::awaitable<void> insert_upload(pg::Pool& database, pg::Scope scope, UploadedFile file,
                                           std::int64_t most) {
  pg::Group effect;
  jobs::lock_account(effect, file.account);  // serializes uploads: the limit is exact
  effect.add(sql::require_room_for_upload, file.account, kJobKind, most);
  effect.add(sql::insert_upload, file.account, file.name, file.id,
             seconds_of(limits::kUploadLease));
  co_await database.commit(std::move(effect), scope);
}

boost::asio::awaitable<bool> renew_upload(pg::Pool& database, pg::Scope scope, UploadedFile file) {
  pg::Group effect;
  effect.add(sql::renew_upload, file.account, file.name, seconds_of(limits::kUploadLease));
  const pg::Results done = co_await database.commit(std::move(effect), scope);
  co_return !done.front().empty();
}

void adopt_upload(pg::Group& effect, const UploadedFile& file, const Uuid& job) {
  effect.add(sql::adopt_upload, file.account, file.name, file.id, job,
             seconds_of(limits::kImportsKept));
}

bool is_gone(const pg::Error& error) { return error.sqlstate() == "SB003"; }
bool is_full(const pg::Error& error) { return error.sqlstate() == "SB004"; }

boost::asio::awaitable<bool> drop_upload(pg::Pool& database, pg::Scope scope, UploadedFile file) {
  pg::Group effect;
  effect.add(sql::drop_upload, file.account, file.name, file.id);
  const pg::Results done = co_await database.commit(std::move(effect), scope);
  co_return !done.front().empty();
}

}  // namespace shopbell::imports

#include "resources/imports/import_care.h"

#include <format>
#include <fstream>

#include "base/limits.h"
#include "base/problem.h"
#include "jobs/job_store.h"
#include "resources/imports/import_json.h"

namespace shopbell::imports {

namespace {

pg::Scope scope_for(std::int64_t account) {
  return {.account = account, .deadline = pg::Steady::now() + limits::kRequestDeadline};
}

boost::asio::awaitable<void> store_file(FileIntake& intake, std::string path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw Problem{Code::file_unreadable, std::format("{} cannot be opened.", path)};
  co_await intake.begin("none");
  std::string block(limits::kUploadBlock, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    if (static_cast<std::size_t>(intake.bytes()) > limits::kUploadBytes)
      throw Problem{Code::body_too_large,
                    std::format("The file takes more than {} bytes.", limits::kUploadBytes)};
    co_await intake.add(block.substr(0, static_cast<std::size_t>(file.gcount())));
  }
  co_await intake.finish();
}

boost::asio::awaitable<Import> queue_stored(pg::Pool& database, FileIntake& intake,
                                            std::int64_t account, Import wish) {
  wish.file = intake.name();
  wish.coding = intake.coding();
  wish.bytes = intake.bytes();
  pg::Group reads;
  read_premises(reads, account, wish);
  const pg::Results found = co_await database.run(std::move(reads), scope_for(account));
  json::Reading reading;
  wish = settled(reading, std::move(wish), found);
  reading.finish();
  pg::Group effect;
  const jobs::Job job =
      add_import(effect, wish, intake, account, std::nullopt, system_clock().now(), found);
  co_await database.commit(std::move(effect), scope_for(account));
  co_return import_of(job);
}

}  // namespace

Problem too_many(std::int64_t unfinished) {
  return Problem{
      Code::import_queue_full,
      std::format("{} imports are unfinished; that is as many as there may be.", unfinished)}
      .with_header("Retry-After", "5");
}

void refuse_more(std::int64_t unfinished) {
  if (unfinished >= limits::kImportsUnfinished) throw too_many(unfinished);
}

void read_premises(pg::Group& reads, std::int64_t account, const Import& wish) {
  jobs::read_unfinished(reads, account, kJobKind);
  read_names(reads, account, wish);
}

Import settled(json::Reading& reading, Import wish, std::span<const pg::Result> found) {
  settle_names(reading, wish, found.subspan(1));
  return wish;
}

jobs::Job add_import(pg::Group& effect, const Import& wish, const FileIntake& intake,
                     std::int64_t account, std::optional<Uuid> key, Instant now,
                     std::span<const pg::Result> found) {
  refuse_more(jobs::found_unfinished(found[0]));
  jobs::Job job;
  job.account = account;
  job.id = Uuid::v7(now);
  job.kind = kJobKind;
  job.type = wish.type;
  job.options = options_of(wish);
  job.key = key;
  job.queued_at = job.updated_at = now;
  intake.adopt(effect, job.id);
  jobs::add_job(effect, job, limits::kImportsUnfinished);
  return job;
}

boost::asio::awaitable<Import> queue_file(pg::Pool& database, storage::Storage& storage,
                                          std::int64_t account, Wish wish, std::string path) {
  json::Reading reading;
  const Import import = read_wish(reading, wish);
  reading.finish();
  FileIntake intake{database, storage, account, system_clock().now(), limits::kImportsUnfinished};
  std::exception_ptr failure;
  try {
    co_await store_file(intake, std::move(path));
    co_return co_await queue_stored(database, intake, account, import);
  } catch (...) {
    failure = std::current_exception();
  }
  co_await intake.drop();
  std::rethrow_exception(failure);
}

boost::asio::awaitable<std::optional<Import>> find_import(pg::Pool& database, std::int64_t account,
                                                          Uuid id) {
  pg::Group reads;
  jobs::read_job(reads, account, kJobKind, id);
  const pg::Results found = co_await database.run(std::move(reads), scope_for(account));
  co_return jobs::found_job(found.front()).transform(import_of);
}

}  // namespace shopbell::imports

#include "resources/exports/export_job.h"

#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "observe/log.h"
#include "pg/snapshot.h"
#include "resources/exports/export_run.h"
#include "resources/files/job_ending.h"

namespace shopbell::exports {

namespace {

// Returns a file name per attempt, so that a stale worker cannot overwrite a later attempt's file.
std::string file_of(const jobs::Job& job) {
  return std::format("exports/{}/{}-{}", job.account, job.id.to_string(), job.generation);
}

// While this object lives, the snapshot is cancelled when the job becomes unwanted.
class Interruption {
 public:
  Interruption(jobs::Running& running, pg::Snapshot& snapshot) : running_{running} {
    running_.when_unwanted([&snapshot] { snapshot.cancel(); });
  }
  ~Interruption() { running_.when_unwanted({}); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  jobs::Running& running_;
};

boost::asio::awaitable<Outcome> make_file(jobs::Running& running, const std::string& reader_url,
                                          storage::Storage& storage, const std::string& file) {
  const jobs::Job& job = running.job();
  pg::Snapshot snapshot{running.loop()};
  const Interruption interruption{running, snapshot};
  running.check();
  co_await snapshot.open(reader_url, job.account);
  const auto upload = co_await storage.create(file);
  const Outcome outcome = co_await write_rows(snapshot, job.account, export_of(job), *upload,
                                              [&running](const Progress& progress) {
                                                running.progress = {progress.done, progress.total};
                                                running.check();
                                              });
  co_await upload->finish();
  co_return outcome;
}

boost::asio::awaitable<jobs::Done> run(jobs::Running& running, const std::string& reader_url,
                                       storage::Storage& storage) {
  const jobs::Job& job = running.job();
  const std::string file = file_of(job);
  // Records the file first, so that cleanup removes it even if this process dies.
  co_await jobs::keep_file(running.database(), job, running.progress, file,
                           limits::kExportsKept + std::chrono::days{1});
  Outcome outcome;
  try {
    outcome = co_await make_file(running, reader_url, storage, file);
  } catch (const storage::Error& error) {
    observe::log(observe::Level::error, "a file was not stored", {{"why", error.what()}});
    throw Problem{Code::unavailable, "The file could not be stored; the log has the reason."};
  }
  jobs::Done done{.result = result_of(outcome, file),
                  .expires_at = std::nullopt,
                  .at = co_await jobs::read_time(running.database()),
                  .effect = {}};
  done.expires_at = done.at + limits::kExportsKept;
  files::tell_finished(done, job,
                       export_json().to_json(export_of(files::finished(job, done, outcome.rows))));
  co_return done;
}

boost::asio::awaitable<void> take_back(storage::Storage& storage, std::string file) {
  try {
    co_await storage.remove(std::move(file));
  } catch (const storage::Error& error) {  // cleanup finds the file's record and removes it later
    observe::log(observe::Level::warn, "a file was not removed", {{"why", error.what()}});
  }
}

}  // namespace

jobs::Kind export_kind(std::string reader_url, storage::Storage& storage) {
  return {
      .name = kJobKind,
      .run = [url = std::move(reader_url),
              &storage](jobs::Running& running) { return run(running, url, storage); },
      .take_back = [&storage](const jobs::Job& job) { return take_back(storage, file_of(job)); }};
}

}  // namespace shopbell::exports

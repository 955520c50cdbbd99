#include "resources/imports/import_job.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "observe/log.h"
#include "operations/retry.h"
#include "resources/files/job_ending.h"
#include "resources/imports/failures.h"
#include "resources/imports/import_json.h"
#include "resources/imports/row_writer.h"
#include "runtime/begun.h"

namespace shopbell::imports {

namespace {

std::string report_of(const jobs::Job& job) {
  return std::format("imports/{}/{}-report-{}", job.account, job.id.to_string(), job.generation);
}

void count(State& state, const Record& record, const Judged& judged) {
  const std::int64_t rows = record.rows();
  switch (judged.outcome) {
    case Outcome::created:
      state.created += rows;
      break;
    case Outcome::updated:
      state.updated += rows;
      break;
    case Outcome::unchanged:
      state.unchanged += rows;
      break;
    case Outcome::failed:
      state.failed += rows;
      break;
  }
  for (const auto& error : judged.errors)
    if (state.errors.size() < limits::kImportErrorsShown) state.errors.push_back(error);
  state.position = static_cast<std::int64_t>(record.end);
  state.row = record.row + rows - 1;
}

// True for transient errors, such as a conflict or a timeout: the row itself may be valid.
bool is_transient(const pg::Error& error) {
  const bool broken = error.sqlstate() == "23505" || error.sqlstate() == "23503";
  return (error.is_overtaken() && !broken) || error.is_timeout();
}

// Returns an error that ends this attempt. The next attempt continues after the last committed row.
pg::Error retry_later(const std::string& why) { return {pg::Error::Kind::unavailable, why}; }

class ImportRun {
 public:
  ImportRun(jobs::Running& running, pg::Pool& data, const keyring::Keyring& keyring,
            storage::Storage& storage, std::size_t chunk_rows)
      : running_{running},
        storage_{storage},
        chunk_rows_{chunk_rows},
        import_{import_of(running.job())},
        state_{import_.state},
        session_{data, keyring, running.job().account, import_},
        writer_{import_.type == "contacts" ? contact_writer(session_)
                                           : operation_writer(session_)} {}

  boost::asio::awaitable<jobs::Done> run() {
    Records records{storage_, import_, co_await writer_->columns(), writer_->grouped()};
    co_await records.open(state_.position, state_.row);
    Step step = co_await plan_next(records, state_);
    while (!step.chunk.empty()) step = co_await write_and_plan_next(std::move(step), records);
    co_return co_await finish(records);
  }

 private:
  // A chunk, and the statements that write it, if the writer can plan ahead.
  struct Step {
    std::vector<Record> chunk;
    std::optional<pg::Group> effect;
    State state;  // progress after the chunk is committed
  };

  // Reads and plans the next chunk; `state` is the state after the chunk before it.
  boost::asio::awaitable<Step> plan_next(Records& records, State state) {
    Step step;
    step.chunk = co_await records.next(chunk_rows_, limits::kImportChunkBytes);
    if (step.chunk.empty()) co_return step;
    try {
      auto plan = co_await writer_->plan_ahead(step.chunk);
      if (plan) {
        step.state = add_progress(state, step.chunk, plan->judged, plan->effect);
        step.effect = std::move(plan->effect);
      }
    } catch (const pg::Error&) {  // apply_in_turn() runs into the error again and handles it
    } catch (const Problem&) {
    }
    co_return step;
  }

  // Writes a chunk and meanwhile plans the next one, so that the database and this process work in
  // parallel.
  boost::asio::awaitable<Step> write_and_plan_next(Step step, Records& records) {
    running_.check();
    if (!step.effect) {
      co_await apply_in_turn(step.chunk);
      co_return co_await plan_next(records, state_);
    }
    runtime::Begun writing{co_await boost::asio::this_coro::executor,
                           write(std::move(*step.effect))};
    Step next;
    std::exception_ptr read_error;
    try {
      next = co_await plan_next(records, step.state);
    } catch (...) {
      read_error = std::current_exception();
    }
    bool written = true;
    try {
      co_await writing.end();
    } catch (const pg::Error& error) {
      if (error.is_outage() || jobs::is_fenced(error)) throw;
      if (error.kind() == pg::Error::Kind::timeout) throw retry_later(error.what());
      written = false;
    }
    if (written) {
      advance_to(std::move(step.state));
    } else {
      next.effect.reset();
      co_await apply_in_turn(step.chunk);
    }
    if (read_error) std::rethrow_exception(read_error);
    co_return next;
  }

  boost::asio::awaitable<void> write(pg::Group effect) {
    co_await session_.database.run(std::move(effect), session_.scope());
  }

  boost::asio::awaitable<void> apply_in_turn(std::span<const Record> left) {
    while (!left.empty()) {
      const std::size_t batch = writer_->batch_size(left);
      co_await apply(left.first(batch));
      left = left.subspan(batch);
    }
  }

  // Bisects a batch that the database refuses, so that only the faulty row fails.
  boost::asio::awaitable<void> apply(std::span<const Record> records) {
    for (int attempt = 1;; ++attempt) {
      running_.check();
      const auto why = co_await try_to_apply(records);
      if (!why) co_return;
      const int most =
          records.size() == 1 ? 3 * limits::kWriteAttempts : limits::kWriteAttempts / 2;
      if (why->is_overtaken() && attempt < most) {
        co_await operations::pause_before_retry(attempt);
        continue;
      }
      if (records.size() == 1) {
        if (is_transient(*why)) throw retry_later(why->what());
        co_return co_await refuse(records.front(), *why);
      }
      co_await apply(records.first(records.size() / 2));
      co_return co_await apply(records.subspan(records.size() / 2));
    }
  }

  // Returns the database error that refused the records. Throws on an outage: the attempt ends.
  boost::asio::awaitable<std::optional<pg::Error>> try_to_apply(std::span<const Record> records) {
    State next;
    try {
      co_await writer_->write(records, [&](std::span<const Judged> judged, pg::Group& effect) {
        next = add_progress(state_, records, judged, effect);
      });
    } catch (const pg::Error& error) {
      if (error.is_outage() || jobs::is_fenced(error)) throw;
      if (error.kind() == pg::Error::Kind::timeout) throw retry_later(error.what());
      co_return error;
    } catch (const Problem& problem) {
      if (problem.status() == 503) throw retry_later(problem.detail());
      throw;
    }
    advance_to(std::move(next));
    co_return std::nullopt;
  }

  boost::asio::awaitable<void> refuse(const Record& record, const pg::Error& why) {
    observe::log(observe::Level::warn, "the database refused a row of an import",
                 {{"why", why.what()}, {"sqlstate", why.sqlstate()}, {"row", record.row}});
    const Judged judged{
        Outcome::failed,
        {{record.row, "", "internal", "The database refused the row; the log has the reason."}}};
    pg::Group effect;
    State next = add_progress(state_, std::span{&record, 1}, std::span{&judged, 1}, effect);
    try {
      co_await session_.database.run(std::move(effect), session_.scope());
    } catch (const pg::Error& error) {
      if (is_transient(error)) throw retry_later(error.what());
      throw;
    }
    advance_to(std::move(next));
  }

  // Adds the progress and the failed rows to the transaction. They are its last statements, so that
  // the job's row is locked only briefly and heartbeats can update it.
  State add_progress(State next, std::span<const Record> records, std::span<const Judged> judged,
                     pg::Group& effect) const {
    Failures failures{running_.job()};
    for (std::size_t i = 0; i < records.size(); ++i) {
      count(next, records[i], judged[i]);
      failures.add(records[i], judged[i].errors);
    }
    jobs::hold(effect, running_.job(), progress_of(next), result_of(next));
    failures.add_to(effect);
    return next;
  }

  // Estimates the total of an uncompressed file from the share of bytes that were read.
  jobs::Progress progress_of(const State& state) const {
    std::optional<std::int64_t> total;
    if (import_.coding == "none" && state.position > 0)
      total = std::max(state.processed(),
                       static_cast<std::int64_t>(static_cast<double>(state.processed()) *
                                                 static_cast<double>(import_.bytes) /
                                                 static_cast<double>(state.position)));
    return {state.processed(), total};
  }

  void advance_to(State next) {
    state_ = std::move(next);
    running_.progress = progress_of(state_);
  }

  boost::asio::awaitable<jobs::Done> finish(const Records& records) {
    const jobs::Job& job = running_.job();
    running_.progress = {state_.processed(), state_.processed()};
    if (!state_.errors.empty()) {
      state_.report_file = report_of(job);
      co_await jobs::keep_file(running_.database(), job, running_.progress, *state_.report_file,
                               limits::kImportsKept + std::chrono::days{1});
      const auto upload = co_await storage_.create(*state_.report_file);
      co_await write_report(session_.database, {.account = job.account}, job.id, records, *upload);
      co_await upload->finish();
    }
    jobs::Done done{.result = result_of(state_),
                    .expires_at = std::nullopt,
                    .at = co_await jobs::read_time(running_.database()),
                    .effect = {}};
    done.expires_at = done.at + limits::kImportsKept;
    files::tell_finished(
        done, job,
        import_json().to_json(import_of(files::finished(job, done, state_.processed()))));
    co_return done;
  }

  jobs::Running& running_;
  storage::Storage& storage_;
  const std::size_t chunk_rows_;
  const Import import_;
  State state_;
  const ImportSession session_;
  const std::unique_ptr<RowWriter> writer_;
};

boost::asio::awaitable<jobs::Done> run(jobs::Running& running, pg::Pool& data,
                                       const keyring::Keyring& keyring, storage::Storage& storage,
                                       std::size_t chunk_rows) {
  ImportRun import{running, data, keyring, storage, chunk_rows};
  co_return co_await import.run();
}

boost::asio::awaitable<void> take_back(storage::Storage& storage, std::string report) {
  co_await storage.remove(std::move(report));
}

}  // namespace

jobs::Kind import_kind(pg::Pool& data, pg::Pool& jobs, const keyring::Keyring& keyring,
                       storage::Storage& storage, std::size_t chunk_rows) {
  return {
      .name = kJobKind,
      .run =
          [&data, &keyring, &storage, chunk_rows](jobs::Running& running) {
            return run(running, data, keyring, storage, chunk_rows);
          },
      .take_back = [&storage](const jobs::Job& job) { return take_back(storage, report_of(job)); },
      .keep_up = [&jobs] { return delete_ended_failures(jobs); }};
}

}  // namespace shopbell::imports

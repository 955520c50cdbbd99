#include "resources/imports/import_job.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "base/random.h"
#include "observe/log.h"
#include "resources/files/job_ending.h"
#include "resources/imports/failures.h"
#include "resources/imports/import_json.h"
#include "resources/imports/row_writer.h"
#include "runtime/begun.h"
#include "runtime/wait.h"

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

// Others stand in its way, or the database is slow: it says nothing about the row.
bool is_passing(const pg::Error& error) {
  const bool broken = error.sqlstate() == "23505" || error.sqlstate() == "23503";
  return (error.is_overtaken() && !broken) || error.is_timeout();
}

// Ends the attempt: the next one goes on behind the last row that was written.
pg::Error later(const std::string& why) { return {pg::Error::Kind::unavailable, why}; }

class ImportRun {
 public:
  ImportRun(jobs::Running& running, pg::Pool& data, const keyring::Keyring& keyring,
            storage::Storage& storage, std::size_t together)
      : running_{running},
        storage_{storage},
        together_{together},
        import_{import_of(running.job())},
        state_{import_.state},
        desk_{data, keyring, running.job().account, import_},
        writer_{import_.type == "contacts" ? contact_writer(desk_) : request_writer(desk_)} {}

  boost::asio::awaitable<jobs::Done> run() {
    Records records{storage_, import_, co_await writer_->columns(), writer_->grouped()};
    co_await records.open(state_.position, state_.row);
    Step step = co_await look_ahead(records, state_);
    while (!step.chunk.empty()) step = co_await take(std::move(step), records);
    co_return co_await finish(records);
  }

 private:
  // A chunk, and what is to be written for it, where that could be told ahead.
  struct Step {
    std::vector<Record> chunk;
    std::optional<pg::Group> effect;
    State state;  // once it is written
  };

  // The next chunk, behind what will have come to `state`.
  boost::asio::awaitable<Step> look_ahead(Records& records, State state) {
    Step step;
    step.chunk = co_await records.next(together_, limits::kImportChunkBytes);
    if (step.chunk.empty()) co_return step;
    try {
      auto plan = co_await writer_->plan_ahead(step.chunk);
      if (plan) {
        step.state = note(state, step.chunk, plan->judged, plan->effect);
        step.effect = std::move(plan->effect);
      }
    } catch (const pg::Error&) {  // is said again when it is their turn
    } catch (const Problem&) {
    }
    co_return step;
  }

  // Writes a chunk while the next one is read and decided: the database works on the one, the
  // process on the other.
  boost::asio::awaitable<Step> take(Step step, Records& records) {
    running_.check();
    if (!step.effect) {
      co_await apply_in_turn(step.chunk);
      co_return co_await look_ahead(records, state_);
    }
    runtime::Begun writing{co_await boost::asio::this_coro::executor,
                           write(std::move(*step.effect))};
    Step next;
    std::exception_ptr unread;
    try {
      next = co_await look_ahead(records, step.state);
    } catch (...) {
      unread = std::current_exception();
    }
    bool written = true;
    try {
      co_await writing.end();
    } catch (const pg::Error& error) {
      if (error.is_outage() || jobs::is_fenced(error)) throw;
      if (error.kind() == pg::Error::Kind::timeout) throw later(error.what());
      written = false;
    }
    if (written) {
      moved_to(std::move(step.state));
    } else {
      next.effect.reset();
      co_await apply_in_turn(step.chunk);
    }
    if (unread) std::rethrow_exception(unread);
    co_return next;
  }

  boost::asio::awaitable<void> write(pg::Group effect) {
    co_await desk_.database.run(std::move(effect), desk_.scope());
  }

  boost::asio::awaitable<void> apply_in_turn(std::span<const Record> left) {
    while (!left.empty()) {
      const std::size_t together = writer_->togetherness(left);
      co_await apply(left.first(together));
      left = left.subspan(together);
    }
  }

  // What cannot be written together is tried in halves, so that only the row meant is refused.
  boost::asio::awaitable<void> apply(std::span<const Record> records) {
    for (int attempt = 1;; ++attempt) {
      running_.check();
      const auto why = co_await try_to_apply(records);
      if (!why) co_return;
      const int most =
          records.size() == 1 ? 3 * limits::kWriteAttempts : limits::kWriteAttempts / 2;
      if (why->is_overtaken() && attempt < most) {
        co_await runtime::sleep_for(std::chrono::duration_cast<runtime::Steady::duration>(
            limits::kWritePause * jitter() * attempt));
        continue;
      }
      if (records.size() == 1) {
        if (is_passing(*why)) throw later(why->what());
        co_return co_await refuse(records.front(), *why);
      }
      co_await apply(records.first(records.size() / 2));
      co_return co_await apply(records.subspan(records.size() / 2));
    }
  }

  // What the database says against it; an outage ends the attempt at the job.
  boost::asio::awaitable<std::optional<pg::Error>> try_to_apply(std::span<const Record> records) {
    State next;
    try {
      co_await writer_->write(records, [&](std::span<const Judged> judged, pg::Group& effect) {
        next = note(state_, records, judged, effect);
      });
    } catch (const pg::Error& error) {
      if (error.is_outage() || jobs::is_fenced(error)) throw;
      if (error.kind() == pg::Error::Kind::timeout) throw later(error.what());
      co_return error;
    } catch (const Problem& problem) {
      if (problem.status() == 503) throw later(problem.detail());
      throw;
    }
    moved_to(std::move(next));
    co_return std::nullopt;
  }

  boost::asio::awaitable<void> refuse(const Record& record, const pg::Error& why) {
    observe::log(observe::Level::warn, "a row was refused",
                 {{"why", why.what()}, {"sqlstate", why.sqlstate()}, {"row", record.row}});
    const Judged judged{Outcome::failed,
                        {{record.row, "", "internal", "The database refuses the row."}}};
    pg::Group effect;
    State next = note(state_, std::span{&record, 1}, std::span{&judged, 1}, effect);
    try {
      co_await desk_.database.run(std::move(effect), desk_.scope());
    } catch (const pg::Error& error) {
      if (is_passing(error)) throw later(error.what());
      throw;
    }
    moved_to(std::move(next));
  }

  // That they are done, and what was not taken. The last statements of their transaction, so that
  // the row of the job is free for heartbeats meanwhile.
  State note(State next, std::span<const Record> records, std::span<const Judged> judged,
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

  // Of a plain file the total can be told from how much of it has been read.
  jobs::Progress progress_of(const State& state) const {
    std::optional<std::int64_t> total;
    if (import_.coding == "none" && state.position > 0)
      total = std::max(state.processed(),
                       static_cast<std::int64_t>(static_cast<double>(state.processed()) *
                                                 static_cast<double>(import_.bytes) /
                                                 static_cast<double>(state.position)));
    return {state.processed(), total};
  }

  void moved_to(State next) {
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
      co_await write_report(desk_.database, {.account = job.account}, job.id, records, *upload);
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
  const std::size_t together_;
  const Import import_;
  State state_;
  const Desk desk_;
  const std::unique_ptr<RowWriter> writer_;
};

boost::asio::awaitable<jobs::Done> run(jobs::Running& running, pg::Pool& data,
                                       const keyring::Keyring& keyring, storage::Storage& storage,
                                       std::size_t together) {
  ImportRun import{running, data, keyring, storage, together};
  co_return co_await import.run();
}

boost::asio::awaitable<void> take_back(storage::Storage& storage, std::string report) {
  co_await storage.remove(std::move(report));
}

}  // namespace

jobs::Kind import_kind(pg::Pool& data, pg::Pool& jobs, const keyring::Keyring& keyring,
                       storage::Storage& storage, std::size_t together) {
  return {
      .name = kJobKind,
      .run = [&data, &keyring, &storage, together](
                 jobs::Running& running) { return run(running, data, keyring, storage, together); },
      .take_back = [&storage](const jobs::Job& job) { return take_back(storage, report_of(job)); },
      .keep_up = [&jobs] { return forget_failures(jobs); }};
}

}  // namespace shopbell::imports

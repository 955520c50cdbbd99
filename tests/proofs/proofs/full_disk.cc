// PostgreSQL's disks run full under load: the data disk, then the WAL disk. Writes get 503,
// acknowledged writes stay, and reads work while PostgreSQL runs. Once there is free space,
// everything recovers by itself.
//
// PostgreSQL 17 itself rejects writes without space for data and keeps running, but a checkpoint
// then stops it. A full WAL disk stops it at once. It tries to restart, and stays down if the
// restart needs space too. A service manager would restart it; here the proof does.
#include <algorithm>
#include <atomic>
#include <deque>
#include <format>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/write_load.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Installation;
using Disk = Installation::Disk;

constexpr int kDataMib = 1024;
constexpr int kWalMib = 512;
constexpr std::size_t kWriters = 12;
constexpr std::size_t kReaders = 4;
constexpr auto kRecovery = 5s;  // maximum recovery time after PostgreSQL is back

// Clients that only read, at a fixed rate on their own thread.
class Readers {
 public:
  Readers(ProcessPair& pair, const std::string& key) {
    for (std::size_t i = 0; i < kReaders; ++i) clients_.emplace_back(loop_, pair, key);
    for (std::size_t i = 0; i < kReaders; ++i) asio::co_spawn(loop_, read_on(i), asio::detached);
    thread_ = std::jthread{[this] { loop_.run(); }};
  }
  ~Readers() { stopping_ = true; }
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  // Returns the number of responses since the last call, by status; 0 counts requests without a
  // response.
  std::map<int, int> take() {
    const std::scoped_lock lock{mutex_};
    return std::exchange(statuses_, {});
  }
  Steady::time_point last_success() const { return last_success_; }

 private:
  asio::awaitable<void> read_on(std::size_t reader) {
    for (std::size_t turn = reader; !stopping_; ++turn) {
      const std::string path = turn % 4 < 2 ? "/store/" : "/manage/contacts/?limit=5";
      count(co_await clients_[reader].send(turn % 2, {.path = path}));
      co_await runtime::sleep_for(10ms);
    }
  }

  void count(const Answer& answer) {
    const std::scoped_lock lock{mutex_};
    ++statuses_[answer.outcome == Answer::Outcome::answered ? answer.status : 0];
    if (answer.status == 200) last_success_ = Steady::now();
  }

  asio::io_context loop_;
  std::deque<PairClient> clients_;
  std::atomic<bool> stopping_ = false;
  std::atomic<Steady::time_point> last_success_{};
  std::mutex mutex_;  // guards the counts by status
  std::map<int, int> statuses_;
  std::jthread thread_;
};

// Counts of requests while a disk was full, over all rounds.
struct Seen {
  int reads = 0;          // reads answered with 200
  int reads_refused = 0;  // reads answered with 503
  int writes = 0;         // acknowledged writes
  int writes_refused = 0;

  std::string text() const {
    return std::format("reads {} × 200, {} × 503, writes {} done, {} × 503", reads, reads_refused,
                       writes, writes_refused);
  }
};

class FullDisk {
 public:
  explicit FullDisk(const Setting& setting)
      : rounds_{setting.quick ? 1 : 5},
        hold_{setting.quick ? 800ms : 4000ms},
        installation_{setting.checkout, setting.binary} {
    installation_.confine_database(kDataMib, kWalMib);
    key_ = installation_.create_unlimited_key("Full");
    pair_ = std::make_unique<ProcessPair>(installation_);
    load_ = std::make_unique<WriteLoad>(*pair_, key_, setting.seed, kWriters);
    readers_ = std::make_unique<Readers>(*pair_, key_);
  }

  Verdict run() {
    for (int i = 1; i <= rounds_; ++i) {
      progress(std::format("full-disk: round {}/{}, {} writes acknowledged", i, rounds_,
                           load_->tally.acknowledged.load()));
      std::this_thread::sleep_for(500ms);
      fill_data();
      std::this_thread::sleep_for(500ms);
      fill_wal();
    }
    std::this_thread::sleep_for(500ms);
    take_reads(true);
    readers_.reset();
    load_->stop();
    progress("full-disk: comparing");
    Comparison found;
    pg::Script database{installation_.admin_url()};
    compare_rows(load_->ledgers(), database, found);
    compare_answers(load_->ledgers(), *pair_, key_, found);
    return verdict(found);
  }

 private:
  // Fills the data disk.
  void fill_data() {
    pg::Script administrator{installation_.admin_url()};
    administrator.run("CHECKPOINT");  // with this checkpoint, none is due while the disk is full
    take_reads(true);
    installation_.fill(Disk::data);
    await_refusals(Disk::data);
    take_reads(true);
    hold(Disk::data, /*reads_may_fail=*/false, data_);
    expect(answers(administrator), "PostgreSQL stopped although only the data disk was full");
    // Now force a checkpoint, which normally runs every few minutes.
    answers(administrator, "CHECKPOINT");
    if (!answers(administrator)) ++ended_by_checkpoint_;
    hold(Disk::data, /*reads_may_fail=*/true, checkpoint_);
    recover(Disk::data);
  }

  // Fills the WAL disk, as happens when a lost standby or a failing archive keeps PostgreSQL from
  // removing WAL.
  void fill_wal() {
    {
      pg::Script administrator{installation_.admin_url()};
      administrator.run("CHECKPOINT");
      administrator.query("SELECT pg_create_physical_replication_slot('forgotten', true)");
      const bool ended = use_up_wal(administrator);
      expect(ended, "PostgreSQL kept running with a full WAL disk");
      if (ended) ++ended_by_wal_;
    }
    take_reads(true);
    hold(Disk::wal, /*reads_may_fail=*/true, wal_);
    recover(Disk::wal);
    pg::Script administrator{installation_.admin_url()};
    administrator.query("SELECT pg_drop_replication_slot('forgotten')");
    administrator.run("CHECKPOINT");
  }

  // Writes until the existing WAL segments are used up and a new one is needed.
  bool use_up_wal(pg::Script& administrator) {
    const auto until = Steady::now() + 20s;
    while (Steady::now() < until) {
      installation_.fill(Disk::wal);
      if (!answers(administrator, "SELECT pg_switch_wal()")) return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  }

  static bool answers(pg::Script& administrator, std::string_view sql = "SELECT 1") {
    try {
      administrator.run(sql);
      return true;
    } catch (const pg::Error&) {
      return false;
    }
  }

  // Waits for refusals, because at first new rows still fit into existing pages.
  void await_refusals(Disk disk) {
    const int before = load_->tally.unavailable;
    const auto until = Steady::now() + 15s;
    while (load_->tally.unavailable < before + static_cast<int>(kWriters)) {
      if (Steady::now() > until) return expect(false, "writes succeeded on a full disk");
      installation_.fill(disk);
      std::this_thread::sleep_for(20ms);
    }
  }

  // Keeps the disk full: fills space that becomes free meanwhile.
  void hold(Disk disk, bool reads_may_fail, Seen& seen) {
    const int writes = load_->tally.acknowledged;
    const int writes_refused = load_->tally.unavailable;
    const auto until = Steady::now() + hold_;
    while (Steady::now() < until) {
      installation_.fill(disk);
      std::this_thread::sleep_for(50ms);
    }
    auto reads = take_reads(reads_may_fail);
    seen.reads += reads[200];
    seen.reads_refused += reads[503];
    seen.writes += load_->tally.acknowledged - writes;
    seen.writes_refused += load_->tally.unavailable - writes_refused;
  }

  // Checks and counts the reads. A read may get 503 only while PostgreSQL may be down.
  std::map<int, int> take_reads(bool may_fail) {
    auto reads = readers_->take();
    for (const auto& [status, times] : reads) {
      const bool allowed = status == 200 || (status == 503 && may_fail);
      expect(allowed, std::format("a read was answered {}{}", status,
                                  may_fail ? "" : " while only the data disk was full"));
    }
    return reads;
  }

  void recover(Disk disk) {
    installation_.make_room(disk);
    start_database();
    const auto back = Steady::now();
    while (load_->tally.last_success.load() < back || readers_->last_success() < back) {
      if (Steady::now() - back > kRecovery)
        return expect(false, "reads or writes did not recover within 5 s");
      std::this_thread::sleep_for(1ms);
    }
    slowest_ = std::max(slowest_, Steady::now() - back);
  }

  // Starts PostgreSQL, unless it is restarting by itself.
  void start_database() {
    for (const auto until = Steady::now() + 60s;;) {
      try {
        if (!installation_.database_runs()) {
          installation_.resume_database();
          ++started_;
        }
        const pg::Script ready{installation_.admin_url()};
        return;
      } catch (const std::exception&) {
        if (Steady::now() > until) throw;
      }
      std::this_thread::sleep_for(20ms);
    }
  }

  void expect(bool right, const std::string& what) {
    if (!right) ++wrong_[what];
  }

  Verdict verdict(const Comparison& found) {
    const WriterTally& tally = load_->tally;
    const auto cuts = pair_->cuts();
    // A run in which the full disk had no effect proves nothing.
    expect(data_.reads > 0 && data_.writes_refused > 0, "the full data disk had no effect");
    expect(wal_.reads_refused > 0 && wal_.writes_refused > 0, "the full WAL disk had no effect");
    const bool holds = wrong_.empty() && found.exact() && tally.others == 0 && tally.stuck == 0 &&
                       cuts.of_living == 0 && cuts.refused_by_living == 0 && pair_->alive();
    std::string figures = std::format(
        "{} rounds, {} writers, 2 processes: {} acknowledgements, {} contacts, {} events: {} "
        "missing, {} twice, {} out of order, {} unexpected, {} contacts different; data full: {}; "
        "a "
        "checkpoint then stopped PostgreSQL {} times: {}; WAL full, which stopped it {} times: {}; "
        "restarted {} times, slowest recovery {:.2f} s; {} × 409 in progress, {} unexpected "
        "responses, {} cut and {} refused by running processes, {} stuck",
        rounds_, kWriters, tally.acknowledged.load(), found.contacts, found.events, found.missing,
        found.twice, found.disorder, found.unasked, found.different, data_.text(),
        ended_by_checkpoint_, checkpoint_.text(), ended_by_wal_, wal_.text(), started_,
        std::chrono::duration<double>(slowest_).count(), tally.in_progress, tally.others,
        cuts.of_living, cuts.refused_by_living, tally.stuck);
    for (const auto& [what, times] : wrong_)
      figures += std::format("; WRONG, {} times: {}", times, what);
    for (const auto& example : found.examples) figures += "; " + example;
    for (const auto& example : tally.examples) figures += "; " + example;
    if (!holds) figures += std::format("; logs in {}", installation_.keep_logs().string());
    return {.holds = holds, .figures = std::move(figures)};
  }

  const int rounds_;
  const std::chrono::milliseconds hold_;
  Installation installation_;
  std::string key_;
  std::unique_ptr<ProcessPair> pair_;
  std::unique_ptr<WriteLoad> load_;
  std::unique_ptr<Readers> readers_;
  Seen data_;
  Seen checkpoint_;
  Seen wal_;
  int ended_by_checkpoint_ = 0;
  int ended_by_wal_ = 0;
  int started_ = 0;
  Steady::duration slowest_{};
  std::map<std::string, int> wrong_;
};

}  // namespace

Verdict full_disk(const Setting& setting) { return FullDisk{setting}.run(); }

}  // namespace shopbell::proofs

// PostgreSQL's disks fill to the last byte under load: that of the data, then that of the WAL. What
// cannot be written is answered 503, what was acknowledged stays, reads go on for as long as
// PostgreSQL does, and once there is room everything goes on by itself.
//
// What PostgreSQL 17 does is its own. Without room for data it refuses what needs some, and goes
// on; but a checkpoint then ends it, and so does a WAL without room: it tries to come up again, and
// stays down when even that needs room. Starting it anew is a service manager's work; here it is
// the proof's.
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
constexpr auto kRecovery = 5s;  // at most, from when PostgreSQL is back

// Clients who only read, at a steady pace and on a thread of their own.
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

  // Answers since the last call, by status; 0 stands for those that never came.
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
  std::mutex mutex_;  // of the statuses
  std::map<int, int> statuses_;
  std::jthread thread_;
};

// What was seen while a disk was full, over all rounds.
struct Seen {
  int reads = 0;          // answered 200
  int reads_refused = 0;  // answered 503
  int writes = 0;         // acknowledged
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
  // Without room for data.
  void fill_data() {
    pg::Script administrator{installation_.admin_url()};
    administrator.run("CHECKPOINT");  // so that none is due while this lasts
    take_reads(true);
    installation_.fill(Disk::data);
    await_refusals(Disk::data);
    take_reads(true);
    hold(Disk::data, /*reads_may_fail=*/false, data_);
    expect(answers(administrator), "PostgreSQL ended although only its data had no room");
    // And with a checkpoint, as one comes every few minutes.
    answers(administrator, "CHECKPOINT");
    if (!answers(administrator)) ++ended_by_checkpoint_;
    hold(Disk::data, /*reads_may_fail=*/true, checkpoint_);
    recover(Disk::data);
  }

  // Without room for WAL, as when a standby that is gone for good, or an archive that takes
  // nothing, keeps PostgreSQL from removing any.
  void fill_wal() {
    {
      pg::Script administrator{installation_.admin_url()};
      administrator.run("CHECKPOINT");
      administrator.query("SELECT pg_create_physical_replication_slot('forgotten', true)");
      const bool ended = use_up_wal(administrator);
      expect(ended, "PostgreSQL went on without room for its WAL");
      if (ended) ++ended_by_wal_;
    }
    take_reads(true);
    hold(Disk::wal, /*reads_may_fail=*/true, wal_);
    recover(Disk::wal);
    pg::Script administrator{installation_.admin_url()};
    administrator.query("SELECT pg_drop_replication_slot('forgotten')");
    administrator.run("CHECKPOINT");
  }

  // What is there of segments to come, until one would have to be made.
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

  // Rows find room for a while in pages that are there.
  void await_refusals(Disk disk) {
    const int before = load_->tally.unavailable;
    const auto until = Steady::now() + 15s;
    while (load_->tally.unavailable < before + static_cast<int>(kWriters)) {
      if (Steady::now() > until) return expect(false, "writes went on without room");
      installation_.fill(disk);
      std::this_thread::sleep_for(20ms);
    }
  }

  // Whatever becomes free meanwhile is filled again.
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

  // A read may be told to come again only where PostgreSQL may be down.
  std::map<int, int> take_reads(bool may_fail) {
    auto reads = readers_->take();
    for (const auto& [status, times] : reads) {
      const bool allowed = status == 200 || (status == 503 && may_fail);
      expect(allowed, std::format("a read was answered {}{}", status,
                                  may_fail ? "" : " while only the data had no room"));
    }
    return reads;
  }

  void recover(Disk disk) {
    installation_.make_room(disk);
    start_database();
    const auto back = Steady::now();
    while (load_->tally.last_success.load() < back || readers_->last_success() < back) {
      if (Steady::now() - back > kRecovery)
        return expect(false, "reads or writes were not back in 5 s");
      std::this_thread::sleep_for(1ms);
    }
    slowest_ = std::max(slowest_, Steady::now() - back);
  }

  // Where it still tries by itself it is left to that.
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
    // A disk that nobody noticed has proved nothing.
    expect(data_.reads > 0 && data_.writes_refused > 0, "the full data were not noticed");
    expect(wal_.reads_refused > 0 && wal_.writes_refused > 0, "the full WAL was not noticed");
    const bool holds = wrong_.empty() && found.exact() && tally.others == 0 && tally.stuck == 0 &&
                       cuts.of_living == 0 && cuts.refused_by_living == 0 && pair_->alive();
    std::string figures = std::format(
        "{} rounds, {} writers, 2 processes: {} acknowledgements, {} contacts, {} events: {} "
        "missing, {} twice, {} out of order, {} unasked, {} contacts different; data full: {}; a "
        "checkpoint then ended PostgreSQL {} times: {}; WAL full, which ended it {} times: {}; "
        "started again {} times, slowest recovery {:.2f} s; {} × 409 in progress, {} other "
        "answers, {} cut and {} refused by living processes, {} stuck",
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

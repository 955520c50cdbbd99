#include <filesystem>
#include <format>
#include <future>
#include <random>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "jobs/job_store.h"
#include "jobs/lease.h"
#include "resources/imports/import_job.h"
#include "resources/imports/import_json.h"
#include "resources/store/accounts.h"
#include "storage/directory.h"
#include "testing/database.h"

namespace shopbell::imports {
namespace {

using namespace std::chrono_literals;

class ImportJobTest : public ::testing::Test {
 protected:
  ~ImportJobTest() override { std::filesystem::remove_all(root_); }

  static std::filesystem::path new_directory() {
    std::string made =
        (std::filesystem::temp_directory_path() / "shopbell-imports.XXXXXX").string();
    return ::mkdtemp(made.data());
  }

  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return runtime::run_to_end(database_.loop, std::move(work));
  }
  void run(boost::asio::awaitable<void> work) {
    runtime::run_to_end(database_.loop, std::move(work));
  }

  std::int64_t new_account() {
    return run(store::create_account(*worker_, {}, {.name = "Bell", .currency = "EUR"},
                                     system_clock().now()))
        .live;
  }

  void queue(std::int64_t account, const std::string& type, const std::string& text) {
    Import request{.type = type};
    request.file = std::format("imports/{}/file", account);
    request.bytes = std::ssize(text);
    run([](storage::Storage& storage, std::string name,
           std::string block) -> boost::asio::awaitable<void> {
      const auto upload = co_await storage.create(std::move(name));
      co_await upload->write(std::move(block));
      co_await upload->finish();
    }(files_, request.file, text));
    jobs::Job job;
    job.account = account;
    job.id = Uuid::v7(system_clock().now());
    job.kind = kJobKind;
    job.type = type;
    job.options = options_of(request);
    job.queued_at = system_clock().now();
    pg::Group effect;
    jobs::add_job(effect, job, 1000);
    run(api_->run(std::move(effect), {.account = account}));
  }

  // One attempt at the only job. attempt() returns as soon as `until` rows are done. The attempt
  // keeps running, like a stale worker.
  struct Attempt {
    std::unique_ptr<jobs::Running> running;
    std::future<jobs::Done> done;
  };
  Attempt attempt(const jobs::Kind& kind, std::int64_t until) {
    // Runs on the loop: the earlier attempt may have locked the job's row, and needs the loop to
    // release this lock.
    static constexpr pg::Query kEndLease{
        "test.end_lease", limits::kQueryTimeout,
        "UPDATE job SET leased_until = now() - interval '1 second' WHERE state = 'inProgress'"};
    std::optional<jobs::Job> job;
    while (!job) {  // an earlier attempt may renew the lease in between
      try {
        run(worker_->query({}, kEndLease));
        job = run(jobs::claim(*worker_, {kJobKind}));
      } catch (const pg::Error& error) {
        if (!error.is_lock_timeout()) throw;
      }
    }
    Attempt made{.running = std::make_unique<jobs::Running>(database_.loop, *worker_, *job),
                 .done = {}};
    made.done =
        boost::asio::co_spawn(database_.loop, kind.run(*made.running), boost::asio::use_future);
    while (made.done.wait_for(0s) != std::future_status::ready &&
           made.running->progress.done < until) {
      database_.loop.restart();
      database_.loop.run_one_for(1s);
    }
    return made;
  }

  // Runs all attempts; only the last one runs to its end.
  std::string import(std::int64_t account, const std::string& type, const std::string& text,
                     std::size_t chunk_rows, const std::vector<std::int64_t>& taken_over_at) {
    queue(account, type, text);
    const jobs::Kind kind = import_kind(*api_, *worker_, keyring_, files_, chunk_rows);
    std::vector<Attempt> attempts;
    for (const auto rows : taken_over_at) attempts.push_back(attempt(kind, rows));
    attempts.push_back(attempt(kind, std::numeric_limits<std::int64_t>::max()));
    std::string result;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      while (attempts[i].done.wait_for(0s) != std::future_status::ready) {
        database_.loop.restart();
        database_.loop.run_one_for(1s);
      }
      try {
        result = attempts[i].done.get().result;
      } catch (const pg::Error& error) {
        const bool put_off = error.kind() == pg::Error::Kind::unavailable;
        EXPECT_TRUE(jobs::is_fenced(error) || put_off) << error.what();
        // Retries, as a worker does, after conflicts with the stale attempts.
        if (put_off && i + 1 == attempts.size())
          attempts.push_back(attempt(kind, std::numeric_limits<std::int64_t>::max()));
      }
    }
    admin_.run("UPDATE job SET state = 'finished', leased_until = NULL, finished_at = now()");
    Import made;
    jobs::Job done;
    done.options = "{}";
    done.result = result;
    made = import_of(done);
    return std::format("{} {} {} {}", made.state.created, made.state.updated, made.state.unchanged,
                       made.state.failed);
  }

  // Returns the account's contacts and their events, without ids, versions and times.
  std::string contents(std::int64_t account) {
    return admin_
        .query(std::format(
            "SELECT concat((SELECT jsonb_agg(to_jsonb(c) - '{{account_id,contact_id,lane,version,"
            "created_at,updated_at,email_subscription_at,sms_subscription_at}}'::text[] ORDER BY "
            "contact_id) FROM contact c WHERE account_id = {0}), (SELECT jsonb_agg(jsonb_"
            "build_array(e.kind, e.contact_seq, e.payload, (SELECT count(*) FROM contact d WHERE "
            "d.account_id = {0} AND d.contact_id < e.contact_id)) ORDER BY e.contact_id, "
            "e.contact_seq) FROM event e WHERE account_id = {0} AND kind LIKE 'contact.%'), "
            "(SELECT count(*) FROM contact_facet WHERE account_id = {0})) AS it",
            account))[0]
        .text("it");
  }

  const std::filesystem::path root_ = new_directory();
  storage::Directory files_{root_};
  shopbell::testing::TestDatabase database_;
  keyring::Keyring keyring_ = database_.keyring();
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url(), 2);
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url(), 2);
};

// Returns a file with few contacts and many rows: identifiers collide, change, move or are invalid.
std::string random_file(std::mt19937_64& random, std::size_t rows) {
  std::string text = "externalId,email,firstName,points,tags,emailSubscription\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const auto id = random() % 8;
    const std::string external_id = random() % 4 == 0 ? "" : std::format("p{}", id);
    const std::string email =
        random() % 3 == 0 ? ""
                          : std::format("p{}@example.com", random() % 4 == 0 ? random() % 8 : id);
    text += std::format("{},{},N{},{},{},{}\n", external_id, email, random() % 3,
                        random() % 9 == 0 ? "x" : std::to_string(random() % 3),
                        random() % 2 == 0 ? "a|b" : "\\N",
                        std::array{"subscribed", "unsubscribed", "none", ""}[random() % 4]);
  }
  return text;
}

TEST_F(ImportJobTest, chunks_and_takeovers_do_not_change_the_result) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(std::format("seed {}", seed));
  std::mt19937_64 random{seed};
  for (int round = 0; round < 12; ++round) {
    const std::size_t rows = 1 + random() % 40;
    const std::string text = random_file(random, rows);
    const std::int64_t plain = new_account();
    const std::int64_t pieces = new_account();
    const std::string counts = import(plain, "contacts", text, 1, {});
    std::vector<std::int64_t> taken_over_at;
    for (std::size_t i = 0; i < random() % 4; ++i)
      taken_over_at.push_back(static_cast<std::int64_t>(random() % rows));
    EXPECT_EQ(import(pieces, "contacts", text, 1 + random() % (rows + 2), taken_over_at), counts)
        << text;
    EXPECT_EQ(contents(pieces), contents(plain)) << text;
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace shopbell::imports

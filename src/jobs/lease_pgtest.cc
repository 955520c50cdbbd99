#include <format>

#include <gtest/gtest.h>

#include "jobs/job_store.h"
#include "jobs/lease.h"
#include "pg/script.h"
#include "testing/database.h"

namespace shopbell::jobs {
namespace {

constexpr std::int64_t kOne = 1;
constexpr std::int64_t kTwo = 2;
constexpr std::int64_t kPlenty = 1000;

class LeaseTest : public ::testing::Test {
 protected:
  LeaseTest() {
    admin_.run(
        "INSERT INTO account (account_id, id, name, time_zone, currency, locale) VALUES "
        "(1, gen_random_uuid(), 'one', 'UTC', 'EUR', 'en'), (2, gen_random_uuid(), 'two', 'UTC', "
        "'EUR', 'en')");
  }

  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return runtime::run_to_end(database_.loop, std::move(work));
  }

  void commit(std::int64_t account, pg::Group effect) {
    run(api_->run(std::move(effect), {.account = account}));
  }

  // Queues a job; each is later than the one before.
  Job queue(std::int64_t account, std::int64_t most = kPlenty) {
    clock_ += std::chrono::milliseconds{10};
    Job job;
    job.account = account;
    job.id = Uuid::v7(clock_);
    job.kind = "export";
    job.type = "contacts";
    job.options = R"({"type":"contacts"})";
    job.queued_at = clock_;
    pg::Group effect;
    add_job(effect, job, most);
    commit(account, std::move(effect));
    return job;
  }

  std::optional<Job> take() { return run(claim(*worker_, {"export"})); }

  Job read(const Job& job) {
    pg::Group reads;
    read_job(reads, job.account, job.kind, job.id);
    return *found_job(run(api_->run(std::move(reads), {.account = job.account}))[0]);
  }

  // The SQLSTATE that refused a worker's group; empty if it was committed.
  std::string refused(pg::Group effect) {
    try {
      run(worker_->run(std::move(effect), {}));
      return "";
    } catch (const pg::Error& error) {
      return error.sqlstate();
    }
  }
  std::string refused_hold(const Job& job, Progress progress = {}) {
    pg::Group effect;
    hold(effect, job, progress);
    return refused(std::move(effect));
  }
  std::string refused_end(const Job& job) {
    pg::Group effect;
    end(effect, job,
        {.state = "finished",
         .result = R"({"rows":7})",
         .error = std::nullopt,
         .progress = {7, 7},
         .at = clock_,
         .expires_at = std::nullopt});
    return refused(std::move(effect));
  }

  // Simulates a worker that has been silent for longer than its lease.
  void expire_lease(const Job& job) {
    admin_.run(
        std::format("UPDATE job SET leased_until = now() - interval '1 ms' WHERE job_id = '{}'",
                    job.id.to_string()));
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  Instant clock_ = system_clock().now() - std::chrono::hours{1};
};

TEST_F(LeaseTest, a_job_has_one_owner_and_is_taken_over_when_its_lease_expires) {
  const Job job = queue(kOne);
  const auto first = take();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->id, job.id);
  EXPECT_EQ(first->state, "inProgress");
  EXPECT_EQ(first->attempt, 1);
  EXPECT_FALSE(take());
  EXPECT_EQ(refused_hold(*first, {5, 10}), "");
  EXPECT_EQ(read(job).done, 5);
  EXPECT_EQ(read(job).total, 10);
  expire_lease(job);
  const auto second = take();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->attempt, 2);
  EXPECT_GT(second->generation, first->generation);
  EXPECT_EQ(second->started_at, first->started_at);
}

// A worker that only seemed dead comes back: its writes are refused.
TEST_F(LeaseTest, a_stale_worker_is_fenced) {
  const Job job = queue(kOne);
  const Job slow = *take();
  expire_lease(job);
  const Job next = *take();
  EXPECT_EQ(refused_hold(slow, {99, 99}), "SB002");
  EXPECT_EQ(refused_end(slow), "SB002");
  EXPECT_THROW(run(keep_file(*worker_, slow, {}, "exports/1/x", std::chrono::seconds{60})),
               pg::Error);
  run(hand_back(*worker_, slow));
  EXPECT_EQ(read(job).state, "inProgress");
  EXPECT_EQ(read(job).done, 0);
  EXPECT_EQ(admin_.query("SELECT FROM stored_file").size(), 0U);
  EXPECT_EQ(refused_end(next), "");
  EXPECT_EQ(read(job).state, "finished");
  EXPECT_EQ(refused_end(next), "SB002");
}

TEST_F(LeaseTest, a_fenced_group_is_rolled_back) {
  queue(kOne);
  const Job slow = *take();
  expire_lease(slow);
  take();
  const pg::Query stain{
      "test.stain", std::chrono::milliseconds{1000},
      "INSERT INTO stored_file VALUES ($1::bigint, 'stain', gen_random_uuid(), now())"};
  pg::Group effect;
  hold(effect, slow, {});
  effect.add(stain, kOne);
  EXPECT_EQ(refused(std::move(effect)), "SB002");
  EXPECT_EQ(admin_.query("SELECT FROM stored_file").size(), 0U);
}

TEST_F(LeaseTest, cancelling_or_deleting_a_job_fences_its_worker) {
  const Job first = queue(kOne);
  const Job held = *take();
  pg::Group effect;
  cancel_job(effect, read(first), clock_);
  commit(kOne, std::move(effect));
  EXPECT_EQ(refused_hold(held), "SB002");
  EXPECT_EQ(read(first).state, "cancelled");
  EXPECT_FALSE(take());

  const Job second = queue(kOne);
  const Job taken = *take();
  run(keep_file(*worker_, taken, {}, "exports/1/x", std::chrono::hours{24}));
  pg::Group deletion;
  delete_job(deletion, read(second));
  commit(kOne, std::move(deletion));
  EXPECT_EQ(refused_hold(taken), "SB002");
  EXPECT_EQ(admin_.query("SELECT FROM stored_file WHERE remove_at <= now()").size(), 1U);
}

TEST_F(LeaseTest, a_returned_job_can_be_claimed_at_once) {
  queue(kOne);
  const Job first = *take();
  run(hand_back(*worker_, first));
  const auto next = take();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->attempt, 2);
  EXPECT_EQ(refused_hold(first), "SB002");
}

// Many jobs of one store do not delay the first job of another.
TEST_F(LeaseTest, the_account_with_the_fewest_running_jobs_comes_first) {
  std::vector<Job> ones;
  for (int i = 0; i < 5; ++i) ones.push_back(queue(kOne));
  const Job two = queue(kTwo);
  EXPECT_EQ(take()->id, ones[0].id);  // no account has a running job: takes the oldest
  EXPECT_EQ(take()->id, two.id);
  EXPECT_EQ(take()->id, ones[1].id);
  EXPECT_EQ(take()->id, ones[2].id);
}

TEST_F(LeaseTest, the_limit_of_unfinished_jobs_is_enforced) {
  queue(kOne, 2);
  queue(kOne, 2);
  EXPECT_THROW(queue(kOne, 2), pg::Error);
  queue(kTwo, 2);
  pg::Group reads;
  read_unfinished(reads, kOne, "export");
  EXPECT_EQ(found_unfinished(run(api_->run(std::move(reads), {.account = kOne}))[0]), 2);
}

}  // namespace
}  // namespace shopbell::jobs

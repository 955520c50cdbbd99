#include <format>

#include <gtest/gtest.h>

#include "resources/custom_events/rejected_event_store.h"
#include "runtime/wait.h"
#include "testing/database.h"

namespace shopbell::custom_events {
namespace {

using runtime::run_to_end;

class IntakeTest : public ::testing::Test {
 protected:
  // Registers a process in the event log.
  Uuid process() {
    const Uuid id = Uuid::v7(system_clock().now());
    admin_.run(
        std::format("INSERT INTO running_process (process, version) VALUES ('{0}', 'test'); "
                    "INSERT INTO heartbeat (at, process) VALUES (now(), '{0}')",
                    id.to_string()));
    return id;
  }
  void expire_heartbeat(const Uuid& process) {
    admin_.run(std::format("DELETE FROM heartbeat WHERE process = '{}'", process.to_string()));
  }
  HeldPartitions hold(const Uuid& process, std::int64_t newest_key = 1, int partitions = 3) {
    return run_to_end(database_.loop,
                      hold_intake(*worker_, process, "topic", partitions, newest_key));
  }
  // Returns the SQLSTATE of the database's refusal, or "" on success.
  std::string advance(const Uuid& process, std::int32_t partition, const HeldPartition& held,
                      std::int64_t to) {
    try {
      advance(process, partition, held, to, {});
      return "";
    } catch (const pg::Error& error) {
      return std::string{error.sqlstate()};
    }
  }
  // Records the senders' message numbers; returns the previously recorded ones.
  LastNumbers advance(const Uuid& process, std::int32_t partition, const HeldPartition& held,
                      std::int64_t to, const LastNumbers& numbers) {
    const std::string topic = "topic";
    const std::array moves{Advance{.partition = partition, .held = held, .to_offset = to}};
    return run_to_end(database_.loop, api_->transaction({}, [&](pg::Transaction& transaction) {
      return advance_intake(transaction, process, topic, moves, numbers);
    }));
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
};

TEST_F(IntakeTest, processes_share_the_partitions) {
  EXPECT_TRUE(hold(Uuid::v7(system_clock().now())).empty());  // a process unknown to the event log
  const Uuid one = process();
  EXPECT_EQ(hold(one).size(), 3U);
  const Uuid other = process();
  EXPECT_TRUE(hold(other).empty());  // process `one` holds all partitions
  EXPECT_EQ(hold(one).size(), 2U);
  EXPECT_EQ(hold(other).size(), 1U);
  process();  // a process without an intake gets no share
  EXPECT_EQ(hold(one).size(), 2U);
  run_to_end(database_.loop, leave_intake(*worker_, other));
  EXPECT_EQ(hold(one).size(), 3U);
}

TEST_F(IntakeTest, a_topic_may_get_more_partitions) {
  const Uuid one = process();
  EXPECT_EQ(hold(one).size(), 3U);
  EXPECT_EQ(advance(one, 2, hold(one).at(2), 10), "");
  const HeldPartitions held = hold(one, 1, 7);
  EXPECT_EQ(held.size(), 7U);
  EXPECT_EQ(held.at(2).next_offset, 10);
  EXPECT_FALSE(held.at(6).next_offset);
  EXPECT_EQ(advance(one, 6, held.at(6), 5), "");
  // A process that is not restarted yet gets its share of all partitions.
  const Uuid other = process();
  EXPECT_TRUE(hold(other).empty());
  EXPECT_EQ(hold(one, 1, 7).size(), 4U);
  EXPECT_EQ(hold(other).size(), 3U);
  const SignedFrom offsets = run_to_end(database_.loop, read_signed_from(*api_, "topic"));
  EXPECT_EQ(offsets.size(), 7U);
  EXPECT_EQ(offsets.at(6), 0);
}

TEST_F(IntakeTest, a_silent_process_loses_its_partitions) {
  const Uuid one = process();
  const Uuid other = process();
  const HeldPartition before = hold(one).at(2);
  expire_heartbeat(one);
  const HeldPartition taken = hold(other).at(2);
  EXPECT_GT(taken.generation, before.generation);
  EXPECT_TRUE(hold(one).empty());
}

// The fence: a process that lost the partition, or has a stale offset, cannot commit.
TEST_F(IntakeTest, only_the_owner_advances_a_partition_from_its_committed_offset) {
  const Uuid one = process();
  const HeldPartition held = hold(one).at(2);
  EXPECT_FALSE(held.next_offset);
  EXPECT_EQ(advance(one, 2, held, 10), "");
  EXPECT_EQ(advance(one, 2, held, 10), "SB003");  // the committed offset is 10 by now
  const HeldPartition moved{.generation = held.generation, .next_offset = 10};
  EXPECT_EQ(advance(process(), 2, moved, 20), "SB003");
  const HeldPartition stale{.generation = held.generation - 1, .next_offset = 10};
  EXPECT_EQ(advance(one, 2, stale, 20), "SB003");
  EXPECT_EQ(advance(one, 2, moved, 20), "");
  expire_heartbeat(one);
  const Uuid other = process();
  EXPECT_EQ(hold(other).at(2).next_offset, 20);
  EXPECT_EQ(advance(one, 2, {.generation = held.generation, .next_offset = 20}, 30), "SB003");
}

TEST_F(IntakeTest, the_next_owner_sees_the_last_number_of_each_sender) {
  const Uuid one = process();
  const Uuid sender = Uuid::v7(system_clock().now());
  const Uuid stranger = Uuid::v7(system_clock().now());
  HeldPartition held = hold(one).at(2);
  const LastNumbers first{{{2, sender}, 10}};
  EXPECT_EQ(advance(one, 2, held, 10, first), LastNumbers{});
  held.next_offset = 10;
  EXPECT_EQ(advance(one, 2, held, 14, {{{2, sender}, 12}, {{2, stranger}, 2}}), first);
  // A lower number does not overwrite a higher one.
  held.next_offset = 14;
  advance(one, 2, held, 15, {{{2, sender}, 5}});
  expire_heartbeat(one);
  const Uuid other = process();
  const LastNumbers known{{{2, sender}, 12}, {{2, stranger}, 2}};
  EXPECT_EQ(advance(other, 2, hold(other).at(2), 16, {{{2, sender}, 13}, {{2, stranger}, 3}}),
            known);
  // A refused write records no number.
  EXPECT_THROW(advance(one, 2, held, 20, {{{2, sender}, 99}}), pg::Error);
  EXPECT_THROW(advance(other, 2, {.generation = held.generation + 1, .next_offset = 16}, 17,
                       {{{1, sender}, 99}}),
               pg::Error);  // another partition's number is not recorded either
  // Old numbers are deleted when a partition changes its owner.
  admin_.run(
      std::format("UPDATE intake_sender SET seen_at = now() - interval '36 days' "
                  "WHERE sender = '{}'",
                  sender.to_string()));
  expire_heartbeat(other);
  const Uuid third = process();
  const LastNumbers left{{{2, stranger}, 3}};
  EXPECT_EQ(advance(third, 2, hold(third).at(2), 17, {{{2, sender}, 14}, {{2, stranger}, 4}}),
            left);
}

// A process of the previous release: it does not sign messages.
class UnsignedIntakeTest : public IntakeTest {
 protected:
  void hold_unsigned(const Uuid& process) {
    admin_.run(
        std::format("SELECT hold_intake('{}', 'topic', 3, '4 seconds')", process.to_string()));
  }
  SignedFrom signed_from() { return run_to_end(database_.loop, read_signed_from(*api_, "topic")); }
  bool require_signatures_from(std::int64_t offset) {
    return run_to_end(database_.loop, require_signatures(*worker_, "topic", 2, offset));
  }
  void let_time_pass() {
    admin_.run("UPDATE intake_signing SET unsigned_at = unsigned_at - interval '11 minutes'");
  }
};

TEST_F(UnsignedIntakeTest, a_new_topic_requires_signatures_from_its_beginning) {
  EXPECT_FALSE(hold(process()).at(2).cutover_due);
  EXPECT_EQ(signed_from(), (SignedFrom{{0, 0}, {1, 0}, {2, 0}}));
}

TEST_F(UnsignedIntakeTest, unsigned_messages_are_accepted_until_such_processes_are_gone) {
  const Uuid old = process();
  hold_unsigned(old);
  const SignedFrom all{{0, std::nullopt}, {1, std::nullopt}, {2, std::nullopt}};
  EXPECT_EQ(signed_from(), all);
  run_to_end(database_.loop, leave_intake(*worker_, old));
  const Uuid one = process();
  EXPECT_FALSE(hold(one).at(2).cutover_due);
  EXPECT_FALSE(require_signatures_from(7));
  let_time_pass();
  EXPECT_TRUE(hold(one).at(2).cutover_due);
  // The heartbeat of an old process between the two steps prevents the second.
  hold_unsigned(old);
  run_to_end(database_.loop, leave_intake(*worker_, old));
  EXPECT_FALSE(require_signatures_from(7));
  let_time_pass();
  EXPECT_TRUE(require_signatures_from(7));
  EXPECT_FALSE(require_signatures_from(8));
  EXPECT_EQ(signed_from().at(2), 7);
  EXPECT_FALSE(hold(one).at(2).cutover_due);
  // After a downgrade they are accepted again.
  hold_unsigned(old);
  EXPECT_EQ(signed_from(), all);
}

TEST_F(UnsignedIntakeTest, a_process_with_an_older_keyring_gets_no_partition) {
  const Uuid stale = process();
  EXPECT_EQ(hold(stale, 1).size(), 3U);
  const Uuid restarted = process();
  EXPECT_TRUE(hold(restarted, 2).empty());  // nothing is free yet
  EXPECT_THROW(hold(stale, 1), pg::Error);
  EXPECT_EQ(hold(restarted, 2).size(), 3U);
  expire_heartbeat(restarted);
  EXPECT_THROW(hold(stale, 1), pg::Error);
  EXPECT_EQ(hold(stale, 2).size(), 3U);
}

}  // namespace
}  // namespace shopbell::custom_events

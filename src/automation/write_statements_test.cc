#include "automation/write_statements.h"

#include <gtest/gtest.h>

namespace shopbell::automation {
namespace {

const Uuid kSome = *Uuid::parse("019a8412-7c00-7abc-8def-000000000001");
const Uuid kOther = *Uuid::parse("019a8412-7c00-7abc-8def-000000000002");

// Rows of every kind, `people` of each.
Writes writes_of(int people) {
  Writes writes;
  for (int i = 1; i <= people; ++i) {
    const ContactKey owner{i, i % 2 == 0 ? kSome : kOther};
    StoredRun row;
    row.owner = owner;
    row.run.id = kSome;
    writes.started.push_back(row);
    row.seq = 1;
    writes.moved.push_back(row);
    writes.ended.push_back({.run = row, .at = {}});
    writes.enrolled.push_back(
        {.row = {.owner = owner, .lane = 0, .enrolment = {}}, .replaces = {}});
    writes.left.push_back(
        {.owner = owner, .workflow = kSome, .key = "", .run = kSome, .at = {}, .seen = {}});
    writes.timers.push_back({.group = 1, .due_at = {}, .owner = owner, .run = kSome});
    const SubjectWait wait{.owner = owner, .lane = 1, .subject = "x", .since = {}, .run = kSome};
    writes.waits.push_back(wait);
    writes.waits_over.push_back(wait);
    writes.messages.push_back({.owner = owner, .message = {}, .send_rules = {}, .at = {}});
    writes.webhooks.push_back({.owner = owner, .node = "", .webhook = {}});
    writes.coupons_released.emplace_back(i, kSome);
    writes.events.push_back({.account = i, .contact = {}, .kind = "custom.x", .payload = "{}"});
    writes.counts[{i, kSome, "node", "next"}] = 1;
    writes.purchases[{i, "order"}] =
        ConvertedRun{.workflow = kSome, .run = kSome, .started_at = {}};
    writes.merged.emplace(owner, kSome);
    writes.erased.insert({i + people, kSome});
  }
  return writes;
}

std::size_t statements_of(int people) {
  pg::Group group;
  add_statements(group, writes_of(people));
  return group.statements().size();
}

TEST(WriteStatements, their_number_does_not_depend_on_the_rows) {
  EXPECT_EQ(statements_of(1), statements_of(200));
}

// Four of them are for erased and merged contacts. A transaction has up to 17 more: BEGIN and its
// limit of lock waits, the fence, four loads, seven look-ups, the locks, the position and COMMIT.
// Changed contacts add eight per account.
TEST(WriteStatements, are_at_most_seventeen) { EXPECT_LE(statements_of(3), 17U); }

TEST(WriteStatements, nothing_to_write_takes_no_statement) {
  pg::Group group;
  add_statements(group, {});
  EXPECT_TRUE(group.empty());
}

}  // namespace
}  // namespace shopbell::automation

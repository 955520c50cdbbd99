// Slow and locked groups of lanes delay no others.
#include "testing/automation_fixture.h"

namespace shopbell::automation {
namespace {

using namespace std::chrono_literals;

class PipelinesTest : public AutomationTest {
 protected:
  // The groups whose contacts all have runs at this node.
  std::string groups_at(std::string_view node) {
    return text(
        std::format("SELECT string_agg(lane_group::text, ' ' ORDER BY lane_group) FROM (SELECT "
                    "lane >> 4 AS lane_group FROM run GROUP BY 1 HAVING bool_and(node = '{}')) g",
                    node));
  }
};

// A transaction that waits for a lock holds its pipeline, and only that.
TEST_F(PipelinesTest, a_slow_group_delays_no_other_pipeline) {
  publish("flow", R"({"trigger":{"event":"custom.cart"},"nodes":[
    {"id":"wait","type":"waitForEvent","timeout":"P1D","events":[
      {"event":"custom.go","next":"day"}]},
    {"id":"day","type":"wait","for":"P1D"}]})",
          {"custom.cart", "custom.go"});
  std::vector<Uuid> people;
  for (const auto group : std::initializer_list<std::int16_t>{0, 1, 2, 3, 4})
    for (const auto& id : contacts(3, group)) people.push_back(id);
  auto log = start_log();
  admin_.run(events_of("custom.cart", people));
  wait([&] { return groups_at("wait") == "0 1 2 3 4"; });

  pg::Script slow{database_.admin_url()};
  slow.run(std::format("BEGIN; SELECT FROM run WHERE contact_id = '{}' FOR UPDATE",
                       people.front().to_string()));
  const auto from = runtime::Steady::now();
  admin_.run(events_of("custom.go", people));
  wait([&] { return groups_at("day") == "1 2 3"; });
  EXPECT_EQ(groups_at("day"), "1 2 3");              // 4 is in the pipeline of 0
  EXPECT_LT(runtime::Steady::now() - from, 1500ms);  // the lock times out after 2 s
  slow.run("ROLLBACK");
  wait([&] { return groups_at("day") == "0 1 2 3 4"; });
  EXPECT_EQ(groups_at("day"), "0 1 2 3 4");
  stop(*log);
}

// A contact that something must happen to is not waited for.
TEST_F(PipelinesTest, a_locked_contact_delays_its_group_alone) {
  publish("flow", R"({"trigger":{"event":"custom.cart"},"reentry":{"mode":"always"},
    "nodes":[{"id":"tag","type":"updateContact","set":{"tags":["vip"]},"next":"day"},
    {"id":"day","type":"wait","for":"P1D"}]})",
          {"custom.cart"});
  std::vector<Uuid> people;
  for (const auto group : std::initializer_list<std::int16_t>{0, 4, 8})  // of one pipeline
    for (const auto& id : contacts(2, group)) people.push_back(id);
  auto log = start_log();
  pg::Script request{database_.admin_url()};
  request.run(std::format("BEGIN; SELECT FROM contact WHERE contact_id = '{}' FOR UPDATE",
                          people.front().to_string()));
  const auto from = runtime::Steady::now();
  admin_.run(events_of("custom.cart", people));
  wait([&] { return groups_at("day") == "4 8"; });
  EXPECT_EQ(groups_at("day"), "4 8");
  admin_.run(events_of("custom.cart", people));  // the others go on meanwhile
  wait([&] { return text("SELECT count(*) FROM run") == "8"; });
  EXPECT_LT(runtime::Steady::now() - from, 1500ms);
  request.run("ROLLBACK");
  wait([&] { return text("SELECT count(*) FROM run") == "12"; });
  EXPECT_EQ(groups_at("day"), "0 4 8");
  stop(*log);
}

}  // namespace
}  // namespace shopbell::automation

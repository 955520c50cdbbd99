// Walks of schedules, step by step.
#include "automation/schedule_walk.h"
#include "testing/automation_fixture.h"

namespace shopbell::automation {
namespace {

class ScheduleWalkTest : public AutomationTest {
 protected:
  // A workflow that is due now, for all contacts.
  void publish_due() {
    publish("news", R"({"trigger":{"schedule":{"at":"09:00","every":"day","zone":"store"}},
      "nodes":[{"id":"end","type":"exit"}]})",
            {});
    admin_.run(
        "INSERT INTO workflow_schedule (account_id, workflow_id, zone, version, next_at, baseline) "
        "SELECT account_id, workflow_id, '*', 1, now() - interval '1 minute', false FROM workflow");
  }
  bool step() { return runtime::run_to_end(database_.loop, walk_.step()); }

  ScheduleWalk walk_{*work_};
};

TEST_F(ScheduleWalkTest, goes_on_behind_its_page_and_names_each_contact_once) {
  publish_due();
  admin_.run(std::format(
      "INSERT INTO contact (account_id, contact_id, lane, external_id, created_at, updated_at) "
      "SELECT 1, gen_random_uuid(), 0, n, now(), now() FROM generate_series(1, {}) n",
      limits::kSchedulePage + 5));
  EXPECT_TRUE(step());
  EXPECT_EQ(text("SELECT walked_to = (SELECT contact_id FROM contact ORDER BY contact_id OFFSET " +
                 std::to_string(limits::kSchedulePage - 1) + " LIMIT 1) FROM workflow_schedule"),
            "true");
  EXPECT_TRUE(step());
  EXPECT_EQ(text("SELECT walked_to IS NULL AND next_at > now() FROM workflow_schedule"), "true");
  EXPECT_FALSE(step());
  EXPECT_EQ(text("SELECT count(*) || ' ' || count(DISTINCT contact) FROM event, "
                 "jsonb_array_elements(payload::jsonb -> 'contacts') contact "
                 "WHERE kind = 'schedule-start'"),
            std::format("{0} {0}", limits::kSchedulePage + 5));
}

TEST_F(ScheduleWalkTest, forgets_a_workflow_that_is_not_published_any_more) {
  publish_due();
  admin_.run("UPDATE workflow SET status = 'finished', finish_mode = 'stop', finished_at = now()");
  EXPECT_TRUE(step());
  EXPECT_EQ(text("SELECT count(*) FROM workflow_schedule"), "0");
}

}  // namespace
}  // namespace shopbell::automation

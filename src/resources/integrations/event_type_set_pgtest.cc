#include <gtest/gtest.h>

#include "resources/integrations/event_type_set.h"
#include "resources/integrations/event_type_store.h"
#include "resources/integrations/integration_store.h"
#include "testing/database.h"

namespace shopbell::integrations {
namespace {

using runtime::run_to_end;

class EventTypeSetTest : public ::testing::Test {
 protected:
  EventTypeSetTest() {
    pg::Script owner{database_.owner_url()};
    owner.run(R"(INSERT INTO account (account_id, id, name, time_zone, currency, locale)
      SELECT n, gen_random_uuid(), 'Bell', 'UTC', 'EUR', 'en' FROM generate_series(1, 2) n)");
    integration_ = {.id = Uuid::v7(now_), .name = "Till", .created_at = now_, .updated_at = now_};
    pg::Group effect;
    insert_integration(effect, 1, integration_);
    commit(std::move(effect));
  }

  void commit(pg::Group effect) {
    run_to_end(database_.loop, api_->run(std::move(effect), {.account = 1}));
  }

  EventType insert(EventType type) {
    type.id = Uuid::v7(now_);
    type.integration_id = integration_.id;
    type.created_at = type.updated_at = now_;
    pg::Group effect;
    insert_event_type(effect, 1, type,
                      type.sends() ? std::optional{std::vector<std::uint8_t>{1}} : std::nullopt);
    commit(std::move(effect));
    return type;
  }

  std::int64_t version(std::int64_t account = 1) {
    pg::Group reads;
    read_definitions_version(reads, account);
    return found_definitions_version(
        run_to_end(database_.loop, api_->run(std::move(reads), {.account = account})).front());
  }

  std::shared_ptr<const EventTypeSet> get(std::int64_t of_version, std::int64_t account = 1) {
    return run_to_end(database_.loop, sets_.get(*api_, {.account = account}, of_version));
  }

  shopbell::testing::TestDatabase database_;
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  const Instant now_ = system_clock().now();
  Integration integration_;
  EventTypeSets sets_;
};

TEST_F(EventTypeSetTest, finds_types_by_alias_and_by_id) {
  const EventType in = insert({.name = "In", .direction = "receive", .alias = "points"});
  const EventType out = insert({.name = "Out", .direction = "send", .url = "https://a.example/"});
  const auto set = get(version());
  ASSERT_EQ(set->size(), 2U);
  const KnownEventType* found = set->find("points");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->id, in.id);
  EXPECT_EQ(found->integration_id, integration_.id);
  EXPECT_TRUE(found->receives && found->events_enabled);
  ASSERT_NE(set->find(out.id), nullptr);
  EXPECT_FALSE(set->find(out.id)->receives);
  EXPECT_EQ(set->find("nothing"), nullptr);
  EXPECT_EQ(set->find(""), nullptr);
  EXPECT_EQ(set->find(integration_.id), nullptr);
}

TEST_F(EventTypeSetTest, is_read_again_only_after_a_change) {
  const EventType type = insert({.name = "In", .direction = "receive", .alias = "points"});
  const auto first = get(version());
  EXPECT_EQ(get(version()), first);
  EXPECT_EQ(sets_.remembered(1), first);

  integration_.events_enabled = false;
  pg::Group turned_off;
  update_integration(turned_off, 1, integration_);
  commit(std::move(turned_off));
  const auto second = get(version());
  EXPECT_NE(second, first);
  EXPECT_FALSE(second->find("points")->events_enabled);

  pg::Group gone;
  delete_event_type(gone, 1, type);
  commit(std::move(gone));
  EXPECT_EQ(get(version())->find("points"), nullptr);
}

TEST_F(EventTypeSetTest, belongs_to_one_account) {
  insert({.name = "In", .direction = "receive", .alias = "points"});
  EXPECT_EQ(version(2), 0);
  EXPECT_EQ(get(0, 2)->size(), 0U);
  EXPECT_EQ(get(1, 2)->find("points"), nullptr);
}

TEST_F(EventTypeSetTest, stale_writes_are_refused) {
  EventType type = insert({.name = "In", .direction = "receive", .alias = "points"});
  type.version = 7;
  pg::Group stale;
  update_event_type(stale, 1, type);
  EXPECT_THROW(commit(std::move(stale)), pg::Error);
  // Delete with a stale count: the integration has one event type more than was read.
  pg::Group all;
  delete_integration(all, 1, integration_);
  EXPECT_THROW(commit(std::move(all)), pg::Error);
  integration_.event_type_count = 1;
  pg::Group with_it;
  delete_integration(with_it, 1, integration_);
  commit(std::move(with_it));
  EXPECT_EQ(get(version())->size(), 0U);
}

}  // namespace
}  // namespace shopbell::integrations

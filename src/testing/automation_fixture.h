// Fixture of the tests of running workflows on a database: an account, workflows and contacts in
// chosen lanes, and a log with the reader of workflows. No other part of the service runs.
#pragma once

#include <format>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "automation/automation_reader.h"
#include "automation/definition_cache.h"
#include "events/event.h"
#include "resources/workflows/interest.h"
#include "testing/log_fixture.h"

namespace shopbell::automation {

class AutomationTest : public event_log::LogTest {
 protected:
  static constexpr std::int64_t kAccount = 1;

  AutomationTest() {
    admin_.run(R"(
      INSERT INTO account (account_id, id, name, time_zone, currency, locale)
        VALUES (1, gen_random_uuid(), 'Bell', 'UTC', 'EUR', 'en');
      INSERT INTO integration (account_id, integration_id, name, events_enabled, created_at,
                               updated_at)
        VALUES (1, '019a8412-7c00-7abc-8def-000000000001', 'Shop', true, now(), now());
      INSERT INTO event_type (account_id, event_type_id, integration_id, name, direction, alias,
                              fields, additional_members, created_at, updated_at)
        SELECT 1, gen_random_uuid(), '019a8412-7c00-7abc-8def-000000000001', alias, 'receive', alias,
               '[{"id":"cartId","type":"text"},{"id":"productId","type":"text"}]', 'drop', now(),
               now()
          FROM unnest(ARRAY['cart', 'go']) alias)");
  }

  // Stores a workflow as if it had been published, and the kinds of events that it asks for.
  void publish(std::string_view alias, std::string_view definition, std::set<std::string> kinds) {
    admin_.run(std::format(
        "WITH made AS (INSERT INTO workflow (account_id, workflow_id, alias, name, status, "
        "active_version, activated_at, created_at, updated_at) VALUES (1, gen_random_uuid(), "
        "'{0}', "
        "'{0}', 'active', 1, now(), now(), now()) RETURNING workflow_id) "
        "INSERT INTO workflow_version (account_id, workflow_id, version, definition, created_at, "
        "published_at) SELECT 1, workflow_id, 1, '{1}', now(), now() FROM made",
        alias, definition));
    pg::Group effect;
    workflows::raise_interest(effect, kAccount, std::move(kinds));
    runtime::run_to_end(database_.loop, api_->run(std::move(effect), {.account = kAccount}));
  }

  // Creates contacts whose lanes belong to the group.
  std::vector<Uuid> contacts(std::size_t count, std::int16_t group) {
    std::vector<Uuid> made;
    while (made.size() < count) {
      const Uuid id = Uuid::v7(system_clock().now());
      const std::int16_t lane = events::lane_of(kAccount, id);
      if (lane >> 4 != group) continue;
      admin_.run(std::format(
          "INSERT INTO contact (account_id, contact_id, lane, external_id, created_at, updated_at) "
          "VALUES (1, '{0}', {1}, '{0}', now(), now())",
          id.to_string(), lane));
      made.push_back(id);
    }
    return made;
  }

  // The statement that appends an event of each contact.
  static std::string events_of(std::string_view kind, const std::vector<Uuid>& contacts) {
    std::string ids;
    for (const auto& id : contacts)
      ids += std::format("{}'{}'", ids.empty() ? "" : ",", id.to_string());
    return std::format(
        "INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, "
        "hops, source, payload) SELECT 1, gen_random_uuid(), lane, contact_id, '{}', 1, now(), "
        "'all', 0, 'test', '{{\"cartId\":\"c\",\"productId\":\"shirt\"}}' FROM contact WHERE "
        "contact_id IN ({});",
        kind, ids);
  }

  std::unique_ptr<event_log::Log> start_log() {
    auto log = make_log(automation_reader(*definitions_, keyring_, metrics_, [] {}));
    log->start();
    wait_ready();
    return log;
  }

  const keyring::Keyring keyring_ = database_.keyring();
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  std::unique_ptr<DefinitionCache> definitions_ = std::make_unique<DefinitionCache>(*work_);
};

}  // namespace shopbell::automation

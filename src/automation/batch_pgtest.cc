// The number of statements and round trips of the transactions that run workflows.
#include <algorithm>

#include "testing/automation_fixture.h"
#include "testing/wire_tap.h"

namespace shopbell::automation {
namespace {

using testing::RoundTrips;

constexpr std::int16_t kGroup = 5;  // of all contacts, so that one pipeline has all inputs

// Without those that set limits of time.
std::size_t statements_of(const RoundTrips& transaction) {
  std::size_t sum = 0;
  for (const auto& group : transaction)
    sum += static_cast<std::size_t>(std::ranges::count_if(group, [](const std::string& name) {
      return name != "pg.set_timeout" && name != "pg.set_patience";
    }));
  return sum;
}

// One round trip a line.
std::string text_of(const RoundTrips& transaction) {
  std::string text;
  for (const auto& group : transaction) {
    for (const auto& name : group) text += " " + name;
    text += " \n";
  }
  return text;
}

class BatchTest : public AutomationTest {
 protected:
  BatchTest() {
    work_ = database_.pool(tap_.url(), 2);
    definitions_ = std::make_unique<DefinitionCache>(*work_);
    log_ = start_log();
  }
  ~BatchTest() override { stop(*log_); }

  // Appends events in one transaction, and waits until the condition holds. Returns the
  // transactions of the lanes.
  std::vector<RoundTrips> after(const std::string& events, const std::string& condition) {
    tap_.take();
    admin_.run("BEGIN;" + events + "COMMIT");
    const auto query = "SELECT " + condition;
    wait([&] { return text(query) == "true"; });
    EXPECT_EQ(text(query), "true") << condition;
    return tap_.take();
  }

  testing::WireTap tap_{database_.loop, database_.worker_url()};
  std::unique_ptr<event_log::Log> log_;
};

// The first transaction with the statement.
RoundTrips with(std::string_view statement, const std::vector<RoundTrips>& all) {
  const auto found = std::ranges::find_if(all, [&](const RoundTrips& transaction) {
    return text_of(transaction).contains(std::format(" {} ", statement));
  });
  return found == all.end() ? RoundTrips{} : *found;
}

TEST_F(BatchTest, starts_steps_and_ends_take_two_round_trips) {
  publish("flow", R"({"trigger":{"event":"custom.cart"},"nodes":[
    {"id":"first","type":"wait","for":"PT1S","next":"second"},
    {"id":"second","type":"wait","for":"PT1S"}]})",
          {"custom.cart"});
  // The first batch of an account reads its definitions.
  after(events_of("custom.cart", contacts(1, kGroup)), "(SELECT count(*) FROM run) = 1");
  const auto all = after(events_of("custom.cart", contacts(20, kGroup)),
                         "(SELECT count(*) FROM run_history) = 21");
  for (const auto* statement :
       {"automation.insert_runs", "automation.update_runs", "automation.end_runs"}) {
    const RoundTrips transaction = with(statement, all);
    EXPECT_EQ(transaction.size(), 2U) << text_of(transaction);
    EXPECT_LE(statements_of(transaction), 16U) << text_of(transaction);
  }
}

// Eight contacts, each with something else that a batch can do: a run starts, a message is
// withdrawn and its run ends, a history, an object and a code are looked up, a product is waited
// for and no longer waited for, a webhook is sent, the contact changes.
class MixedBatchTest : public BatchTest {
 protected:
  MixedBatchTest() {
    admin_.run(R"(
      INSERT INTO template (account_id, template_id, alias, name, created_at, updated_at)
        VALUES (1, gen_random_uuid(), 'note', 'note', now(), now());
      INSERT INTO product (account_id, product_id, store_id, data, created_at, updated_at)
        VALUES (1, gen_random_uuid(), 'shirt',
                '{"name":"Shirt","url":"https://shop.example/shirt","price":"10"}', now(), now());
      INSERT INTO coupon_set (account_id, coupon_set_id, lane, alias, name, kind, created_at,
                              updated_at)
        VALUES (1, '019a8412-7c00-7abc-8def-000000000002', 1, 'ten', 'Ten', 'unique', now(), now());
      INSERT INTO coupon (account_id, code_key, coupon_set_id, code, shared, added_at)
        SELECT 1, 'TEN-' || n, '019a8412-7c00-7abc-8def-000000000002', 'TEN-' || n, false, now()
          FROM generate_series(1, 9) n)");
    // Each workflow is for the contacts with its alias as their company.
    for (const auto& [alias, nodes] : std::initializer_list<std::pair<const char*, const char*>>{
             {"start", R"({"id":"day","type":"wait","for":"P1D"})"},
             {"mail", R"({"id":"day","type":"email","template":"note","class":"marketing"})"},
             {"history", R"({"id":"wait","type":"waitForEvent","timeout":"P1D","events":[
                              {"event":"custom.go","next":"old"}]},
                            {"id":"old","type":"branch","else":"day","cases":[
                              {"when":{"did":"custom.cart","within":"P30D"},"next":"day"}]},
                            {"id":"day","type":"wait","for":"P1D"})"},
             {"object", R"({"id":"wait","type":"waitForEvent","timeout":"P1D","events":[
                             {"event":"custom.go","next":"look"}]},
                           {"id":"look","type":"lookup","product":"trigger.data.productId",
                            "as":"p","next":"day","onMissing":"day"},
                           {"id":"day","type":"wait","for":"P1D"})"},
             {"code", R"({"id":"wait","type":"waitForEvent","timeout":"P1D","events":[
                           {"event":"custom.go","next":"gift"}]},
                         {"id":"gift","type":"coupon","couponSet":"ten","as":"g","next":"day"},
                         {"id":"day","type":"wait","for":"P1D"})"},
             {"stock", R"({"id":"wait","type":"waitForEvent","timeout":"P1D","events":[
                            {"event":"product.back-in-stock",
                             "subject":{"product":"trigger.data.productId"},"next":"again"},
                            {"event":"custom.go","next":"again"}]},
                          {"id":"again","type":"waitForEvent","timeout":"P1D","events":[
                            {"event":"product.back-in-stock",
                             "subject":{"product":"trigger.data.productId"}}]})"},
             {"hook", R"({"id":"wait","type":"waitForEvent","timeout":"P1D","events":[
                           {"event":"custom.go","next":"tell"}]},
                         {"id":"tell","type":"webhook","eventType":"lead"})"},
             {"change", R"({"id":"wait","type":"waitForEvent","timeout":"P1D","events":[
                             {"event":"custom.go","next":"tag"}]},
                           {"id":"tag","type":"updateContact","set":{"tags":["vip"]},"next":"day"},
                           {"id":"day","type":"wait","for":"P1D"})"}})
      publish(alias,
              std::format(R"({{"trigger":{{"event":"custom.cart","where":{{"value":
                "contact.company","op":"eq","to":"{}"}}}},"reentry":{{"mode":"always"}},
                "exitOn":[{{"event":"purchase.created"}}],"nodes":[{}]}})",
                          alias, nodes),
              {"custom.cart", "custom.go", "purchase.created", "product.back-in-stock"});
  }

  // Contacts whose company is the alias of a workflow.
  std::vector<Uuid> people_of(const std::string& alias) {
    const auto made = contacts(2, kGroup);
    for (const auto& id : made)
      admin_.run(std::format("UPDATE contact SET company = '{}' WHERE contact_id = '{}'", alias,
                             id.to_string()));
    return made;
  }
};

TEST_F(MixedBatchTest, all_that_a_batch_can_do_takes_a_fixed_number_of_statements) {
  const auto starting = people_of("start");
  const auto mailed = people_of("mail");
  std::vector<Uuid> waiting;
  for (const auto* alias : {"history", "object", "code", "stock", "hook", "change"})
    for (const auto& id : people_of(alias)) waiting.push_back(id);
  std::vector<Uuid> first = waiting;
  first.insert(first.end(), mailed.begin(), mailed.end());
  after(events_of("custom.cart", people_of("start")), "(SELECT count(*) FROM run) = 2");
  const RoundTrips starts =
      with("automation.insert_runs",
           after(events_of("custom.cart", first), "(SELECT count(*) FROM run) = 16"));
  EXPECT_EQ(starts.size(), 2U) << text_of(starts);
  EXPECT_LE(statements_of(starts), 16U) << text_of(starts);
  const RoundTrips mixed =
      with("automation.end_runs",
           after(events_of("custom.cart", starting) + events_of("purchase.created", mailed) +
                     events_of("custom.go", waiting),
                 "(SELECT count(*) FROM run r JOIN contact c USING (contact_id) WHERE c.company = "
                 "'start') = 4"));
  EXPECT_LE(statements_of(mixed), 28U) << text_of(mixed);
  // Beside the first and the last: for triggers, for what steps lack, for locks, and for the marks
  // of the addresses of changed contacts.
  EXPECT_LE(mixed.size(), 6U) << text_of(mixed);
  EXPECT_EQ(text("SELECT count(*) FROM log_parked"), "0");
}

}  // namespace
}  // namespace shopbell::automation

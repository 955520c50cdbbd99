// The databases of the contract tests: the simulator's memory, and PostgreSQL.
#include <algorithm>
#include <format>

#include "automation/postgres_store.h"
#include "event_log/log_store.h"
#include "events/event.h"
#include "pg/script.h"
#include "resources/coupons/coupon_store.h"
#include "resources/coupons/set_rules.h"
#include "resources/store/accounts.h"
#include "runtime/wait.h"
#include "simulator/lane_store_contract.h"
#include "simulator/memory_store.h"
#include "testing/database.h"

namespace shopbell::simulator {
namespace {

using runtime::run_to_end;

class MemoryBacking : public Backing {
 public:
  std::int64_t account() const override { return kAccount; }
  void add_contact(const Uuid& contact) override {
    world_.tables.contacts[{kAccount, contact}] = {.json = "{}", .merged_into = {}};
  }
  void merge(const Uuid& from, const Uuid& into) override {
    Contact& contact = world_.tables.contacts[{kAccount, from}];
    contact.exists = false;
    contact.merged_into = into;
  }
  EventKey add_event(const Uuid& contact, const std::string& kind) override {
    const auto id = world_.add_event(world_.event_of({kAccount, contact}, kind, "{}"));
    world_.commit_event(id);
    return {world_.event(id).entry.received_at, id};
  }
  std::int64_t make_tick() override {
    world_.make_tick();
    return world_.newest_tick();
  }
  void add_codes(const Texts& codes) override {
    for (const auto& code : codes)
      world_.tables.codes["ten"].push_back({.code = code, .claim = {}});
  }
  void lock(const Uuid& contact) override {
    locked_ = {kAccount, contact};
    world_.tables.contacts[locked_].is_locked = true;
  }
  void unlock() override { world_.tables.contacts[locked_].is_locked = false; }
  bool transact(Work work) override {
    MemoryStore store{world_, {.before = [](std::string_view) {}}, {}};
    boost::asio::io_context loop;
    run_to_end(loop, work(store));
    try {
      store.commit({});
      return true;
    } catch (const Refused&) {
      return false;
    }
  }
  Instant now() const override { return world_.now(); }
  Texts timers() override {
    Texts found;
    for (const auto& [timer, owner] : world_.tables.timers)
      found.push_back(std::get<Uuid>(timer).to_string());
    return found;
  }
  Texts messages() override {
    Texts found;
    for (const auto& [id, message] : world_.tables.messages)
      found.push_back(
          std::format("{} {} {}", message.state, message.reason,
                      message.owner.contact == Uuid{} ? "" : message.owner.contact.to_string()));
    std::ranges::sort(found);
    return found;
  }
  Texts past() override {
    Texts found;
    for (const auto& [owner, runs] : world_.tables.history)
      for (const auto& ended : runs)
        found.push_back(owner.contact.to_string() + " " + ended.run.run.id.to_string());
    return found;
  }
  std::int64_t people(const std::string& counter) override {
    std::int64_t people = 0;
    for (const auto& [key, sum] : world_.tables.counts)
      if (std::get<3>(key) == counter) people += sum;
    return people;
  }
  std::int64_t waits() override { return std::ssize(world_.tables.waits); }
  std::int64_t free_codes() override {
    return std::ranges::count(world_.tables.codes["ten"], std::optional<Uuid>{}, &Code::claim);
  }
  std::int64_t events(const std::string& kind) override {
    return std::ranges::count(world_.tables.events, kind,
                              [](const LogEvent& one) { return one.entry.kind; });
  }
  std::int64_t payloads(const std::string& kind) override {
    return std::ranges::count_if(world_.tables.events, [&](const LogEvent& one) {
      return one.entry.kind == kind && one.entry.payload;
    });
  }

 private:
  World world_{std::chrono::floor<std::chrono::seconds>(system_clock().now())};
  ContactKey locked_;
};

class PostgresBacking : public Backing {
 public:
  PostgresBacking() {
    admin_.run(std::format(
        "INSERT INTO engine_interest (account_id, version, kinds) VALUES ({}, 5, '{{}}')",
        account_));
    for (int i = 0; i < 2; ++i) beat_ = run(event_log::beat(*pulse_, process_, "test", {"sink"}));
  }

  std::int64_t account() const override { return account_; }
  void add_contact(const Uuid& contact) override {
    admin_.run(std::format(
        "INSERT INTO contact (account_id, contact_id, lane, external_id, created_at, updated_at) "
        "VALUES ({}, '{}', {}, '{}', now(), now())",
        account_, contact.to_string(), events::lane_of(account_, contact), contact.to_string()));
  }
  void merge(const Uuid& from, const Uuid& into) override {
    admin_.run(std::format(
        "DELETE FROM contact WHERE contact_id = '{0}'; INSERT INTO merged_contact (account_id, "
        "contact_id, lane, into_id) VALUES ({1}, '{0}', 1, '{2}')",
        from.to_string(), account_, into.to_string()));
  }
  EventKey add_event(const Uuid& contact, const std::string& kind) override {
    const auto rows = admin_.query(std::format(
        "INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, "
        "hops, source, payload) VALUES ({}, gen_random_uuid(), {}, '{}', '{}', 1, now(), 'all', 0, "
        "'test', '{{}}') RETURNING id, received_at",
        account_, events::lane_of(account_, contact), contact.to_string(), kind));
    return {rows[0].instant("received_at"), rows[0].integer("id")};
  }
  std::int64_t make_tick() override {
    run(event_log::make_tick(*pulse_, process_, beat_.ticker.value()));
    return number("max(tick) FROM log_tick");
  }
  void add_codes(const Texts& codes) override {
    coupons::CouponSet set{.alias = "ten", .name = "Ten", .kind = "unique"};
    pg::Group reads;
    coupons::read_new_set(reads, account_, set);
    const pg::Results found = run(api_->run(std::move(reads), scope_));
    pg::Group effect;
    coupons::create_set(effect, account_, set, found, system_clock().now());
    coupons::add_codes(effect, account_, set, codes, {}, system_clock().now());
    run(api_->commit(std::move(effect), scope_));
  }
  void lock(const Uuid& contact) override {
    other_.run(std::format("BEGIN; SELECT FROM contact WHERE contact_id = '{}' FOR UPDATE",
                           contact.to_string()));
  }
  void unlock() override { other_.run("COMMIT"); }
  bool transact(Work work) override {
    try {
      run(worker_->transaction(
          {.deadline = pg::Steady::now() + std::chrono::seconds{20}},
          [&](pg::Transaction& transaction) { return within(transaction, work); }));
      return true;
    } catch (const pg::Error&) {
      return false;
    }
  }
  Instant now() const override { return now_; }
  Texts timers() override { return texts("SELECT owner_id::text AS it FROM timer ORDER BY 1"); }
  Texts messages() override {
    return texts(
        "SELECT concat(state, ' ', reason, ' ', contact_id) AS it FROM message ORDER BY 1");
  }
  Texts past() override {
    return texts("SELECT contact_id || ' ' || run_id AS it FROM run_history ORDER BY 1");
  }
  std::int64_t people(const std::string& counter) override {
    return number(
        std::format("coalesce(sum(delta), 0) FROM count_delta WHERE counter = '{}'", counter));
  }
  std::int64_t waits() override { return number("count(*) FROM subject_wait"); }
  std::int64_t free_codes() override {
    return number("count(*) FROM coupon WHERE claim_id IS NULL");
  }
  std::int64_t events(const std::string& kind) override {
    return number(std::format("count(*) FROM event WHERE kind = '{}'", kind));
  }
  std::int64_t payloads(const std::string& kind) override {
    return number(std::format("count(payload) FROM event WHERE kind = '{}'", kind));
  }

 private:
  template <class Result>
  Result run(awaitable<Result> work) {
    return run_to_end(database_.loop, std::move(work));
  }
  awaitable<void> within(pg::Transaction& transaction, const Work& work) {
    automation::PostgresStore store{transaction, {}, keyring_};
    co_await work(store);
    pg::Group writes = store.take_writes();
    if (!writes.empty()) co_await transaction.run(std::move(writes));
  }
  std::string text(const std::string& sql) { return admin_.query(sql)[0].text("it"); }
  std::int64_t number(const std::string& what) {
    return std::stoll(text(std::format("SELECT ({})::text AS it",
                                       what.starts_with("SELECT") ? what : "SELECT " + what)));
  }
  Texts texts(const std::string& sql) {
    return admin_.query(sql).map([](const pg::Row& row) { return row.text("it"); });
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  pg::Script other_{database_.admin_url()};
  std::unique_ptr<pg::Pool> pulse_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  const keyring::Keyring keyring_ = database_.keyring();
  const Instant now_ = std::chrono::floor<std::chrono::seconds>(system_clock().now());
  const Uuid process_ = Uuid::v7(now_);
  std::int64_t account_ =
      run(store::create_account(*worker_, {}, {.name = "Bell", .currency = "EUR"}, now_)).live;
  pg::Scope scope_{.account = account_};
  event_log::Beat beat_;
};

}  // namespace

std::unique_ptr<Backing> make_memory() { return std::make_unique<MemoryBacking>(); }
std::unique_ptr<Backing> make_postgresql() { return std::make_unique<PostgresBacking>(); }

}  // namespace shopbell::simulator

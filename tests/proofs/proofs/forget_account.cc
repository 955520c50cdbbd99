// Fills two stores, live and test, through every operation of the API, and deletes one of them.
// Both stay in use meanwhile, and the processes are killed. Afterwards every table, stored file and
// log is searched for the deleted accounts' ids and marks, and the other store must be unchanged.
#include <array>
#include <atomic>
#include <csignal>
#include <format>
#include <mutex>
#include <print>
#include <random>
#include <thread>

#include "runtime/wait.h"
#include "testing/process.h"
#include "tests/proofs/actors/maker.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/scan.h"
#include "tests/proofs/actors/stage.h"
#include "tests/proofs/actors/tenant.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using pg::Steady;
using testing::Answer;

constexpr auto kDeletionMost = 120s;
constexpr std::size_t kRefusalsTried = 10;  // failed authentications are limited per address

// Tables whose rows change without a write to the store: rates, usage, webhook deliveries.
constexpr std::string_view kMovingTables =
    "'{bucket_use,key_use,store_usage,webhook,webhook_chain,webhook_delivery,webhook_queue,"
    "count_delta,node_count}'";
// The numbers of people at the nodes of workflows: upkeep moves them from one table to the other.
constexpr std::string_view kPeople =
    "(SELECT account_id, workflow_id, node, counter, sum(people) AS people FROM (SELECT account_id,"
    " workflow_id, node, counter, people FROM node_count UNION ALL SELECT account_id, workflow_id,"
    " node, counter, delta FROM count_delta) x GROUP BY 1, 2, 3, 4)";

class ForgetAccount {
 public:
  explicit ForgetAccount(const Setting& setting)
      : setting_{setting},
        random_{setting.seed},
        stage_{setting},
        clients_{stage_.host_port()},
        maker_{catalogue_, [this](const Ask& ask) { return clients_.ask(ask); }, rejecting(stage_)},
        administrator_{stage_.installation().admin_url()} {
    for (const auto* store : {"deleted", "kept"}) {
      const AccountPair pair = stage_.create_accounts(store);
      for (const auto& [kind, account] : {std::pair{"live", pair.live}, {"test", pair.test}}) {
        const std::string mark = std::format("mk{:012x}", random_() & 0xffffffffffff);
        stage_.rename(account.id, "Store " + mark);
        tenants_.push_back({std::format("{}, {}", store, kind), mark, account, {}});
      }
    }
    for (const Tenant* tenant : {&tenants_[0], &tenants_[1]}) {
      marks_.add({tenant->mark});
      ids_.add({std::to_string(tenant->account.id)});
    }
  }

  Verdict run() {
    std::size_t objects = 0;
    for (auto& tenant : tenants_) {
      progress("forget-account: filling " + tenant.name);
      objects += fill(tenant, catalogue_, maker_);
      keep_answer(tenant);
      make_link(tenant);
    }
    for (const auto& trouble : maker_.troubles()) wrong("filling: " + trouble);
    const std::string before = search_before();
    await_rest();
    const std::string kept = checksum();
    // From here on only the pair works, whose processes are killed.
    pair_.emplace(stage_.installation());
    stage_.process(0).signal(SIGKILL);
    delete_store();
    const std::string after = search_after();
    check_access();
    expect(checksum() == kept, "rows of the kept store have changed");
    Verdict verdict{.holds = wrong_.empty() && pair_->alive()};
    verdict.figures = std::format(
        "2 stores, live and test, {} objects by {} routes; one deleted under {} requests of its "
        "own "
        "and {} of the other, {} × kill -9, {} rows and {} files gone after {:.1f} s: {}, {}; {} "
        "rows of the other store unchanged, {} kinds of error",
        objects, catalogue_.routes().size(), used_deleted_.load(), used_kept_.load(), kills_,
        rows_before_, files_before_, seconds_, before, after, kept_rows_, wrong_.size());
    if (!verdict.holds)
      verdict.figures += std::format("; logs in {}", stage_.installation().keep_logs().string());
    return verdict;
  }

 private:
  void wrong(const std::string& what) {
    const std::scoped_lock lock{mutex_};
    if (++wrong_[what.substr(0, 300)] == 1) std::println("✗ {}", printable(what));
  }
  void expect(bool right, const std::string& what) {
    if (!right) wrong(what);
  }

  std::string deleted_ids() const {
    return std::format("{}, {}", tenants_[0].account.id, tenants_[1].account.id);
  }
  std::filesystem::path files() const { return stage_.directory() / "home/files"; }

  // Writes with an Idempotency-Key, which stores the response.
  void keep_answer(const Tenant& tenant) {
    const Reply reply = clients_.ask(
        {.method = "PATCH",
         .path = std::format("/contacts/email/{}@keyed.example?createContact=true", tenant.mark),
         .body = std::format(R"({{"firstName":"{}"}})", tenant.mark),
         .headers = {{"Authorization", "Bearer " + tenant.account.key},
                     {"Content-Type", "application/json"},
                     {"Idempotency-Key", "keyed-" + tenant.mark}}});
    expect(reply.status == 201, "keyed: " + reply.brief());
  }

  // Makes a signed link to the file of an export.
  void make_link(const Tenant& tenant) {
    for (const auto& route : catalogue_.routes()) {
      if (!route.path.starts_with("/files/")) continue;
      const auto file = maker_.make(tenant.account, route, maker_.next_mark(tenant.mark));
      expect(file.has_value(), "no link to a file");
      if (file) links_.push_back(file->path);
    }
  }

  // The search before the deletion must find every string, or the one after it would prove nothing.
  std::string search_before() {
    const Scan marks = scan_tables(administrator_, marks_);
    const Scan ids = scan_tables(administrator_, ids_);
    const Scan stored = scan_files(files(), ids_);
    const Scan content = scan_files(files(), marks_);
    for (const Scan* scan : {&marks, &ids, &stored})
      expect(scan->found().size() == 2, "before: not every string is found: " + scan->where());
    expect(!content.found().empty(), "before: no stored file contains a mark");
    expect_silent_logs();
    files_before_ = stored.finds.size();
    rows_before_ = count_rows(deleted_ids());
    return std::format("found in {} of {} tables and {} files before", ids.finds.size(), ids.places,
                       files_before_);
  }

  std::string search_after() {
    progress("forget-account: searching");
    for (const Needles* needles : {&ids_, &marks_}) {
      Scan tables = scan_tables(administrator_, *needles);
      // The installation's own audit rows keep a record of the deletion, by the account's number.
      if (needles == &ids_) tables.finds.erase("public.audit");
      expect(tables.found().empty(), "after: " + tables.where());
      const Scan stored = scan_files(files(), *needles);
      expect(stored.found().empty(), "after: " + stored.where());
    }
    expect(count_rows(deleted_ids()) == 0, "after: rows of the account are left");
    const Scan logs = expect_silent_logs();
    return std::format("0 after, 0 strings in {} logs of {} KiB", logs.places, logs.bytes / 1024);
  }

  // Logs contain account numbers, but no data of an account.
  Scan expect_silent_logs() {
    Scan logs = scan_logs(stage_.directory(), marks_);
    expect(logs.found().empty(), "logged: " + logs.where());
    return logs;
  }

  std::int64_t count_rows(const std::string& accounts) {
    const pg::Result tables = administrator_.query("SELECT account_tables() AS names");
    std::int64_t rows = 0;
    for (const auto& table : tables[0].texts("names"))
      rows += administrator_
                  .query(std::format("SELECT count(*) AS count FROM {} WHERE account_id IN ({})",
                                     table, accounts))[0]
                  .integer("count");
    return rows;
  }

  // Waits until jobs and background purges are done, which would change rows of the kept store.
  void await_rest() {
    for (const auto until = Steady::now() + 60s; Steady::now() < until;
         std::this_thread::sleep_for(50ms)) {
      const pg::Result rest = administrator_.query(
          "SELECT forget_erased(1000) + purge_dropped_coupons(1000) + purge_dropped_fields(1000)"
          " + purge_dropped_webhooks(1000) + tell_low_coupon_sets(1000) = 0"
          " AND NOT EXISTS (SELECT FROM job WHERE state IN ('queued', 'inProgress'))"
          " AND NOT EXISTS (SELECT FROM log_position WHERE reader = 'automation'"
          "                  AND tick < (SELECT max(tick) FROM log_tick)) AS rest");
      if (rest[0].boolean("rest")) return;
    }
    wrong("jobs or purges do not end");
  }

  // A checksum of every row of the kept store.
  std::string checksum() {
    const pg::Result tables = administrator_.query(std::format(
        "SELECT coalesce(array_agg(name), '{{}}') AS names FROM unnest(account_tables() "
        "|| '{{account,stored_file}}'::text[]) AS name WHERE name <> ALL ({}::text[])",
        kMovingTables));
    std::string all;
    kept_rows_ = 0;
    std::vector<std::string> names = tables[0].texts("names");
    names.emplace_back(kPeople);
    for (const auto& table : names) {
      const pg::Result sum = administrator_.query(std::format(
          "SELECT count(*) AS count, coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') "
          "AS sum FROM {} t WHERE account_id IN ({}, {})",
          table, tenants_[2].account.id, tenants_[3].account.id));
      kept_rows_ += sum[0].integer("count");
      all += std::format("{} {}\n", table, sum[0].text("sum"));
    }
    return all;
  }

  // Deletes the store while clients use both, and waits until it is gone.
  void delete_store() {
    progress("forget-account: deleting");
    std::vector<std::jthread> users;
    for (std::size_t i = 0; i < tenants_.size(); ++i)
      users.emplace_back([this, i](const std::stop_token& stop) { use(i, stop); });
    std::this_thread::sleep_for(500ms);
    const std::string number = std::to_string(tenants_[0].account.id);
    testing::run({setting_.binary, "--config", stage_.installation().config_file(), "account",
                  "delete", number, "--grace", "0", "--confirm", number});
    const auto began = Steady::now();
    const int kills_most = setting_.quick ? 4 : 20;
    while (!is_gone() && Steady::now() - began < kDeletionMost) {
      if (kills_ < kills_most) pair_->kill_and_restart(static_cast<std::size_t>(kills_++ % 2));
      std::this_thread::sleep_for(setting_.quick ? 300ms : 700ms);
    }
    seconds_ = std::chrono::duration<double>(Steady::now() - began).count();
    expect(is_gone(), "the account is not gone after two minutes");
  }

  bool is_gone() {
    return administrator_
        .query(std::format("SELECT NOT EXISTS (SELECT FROM account WHERE account_id IN ({})) AS "
                           "gone",
                           deleted_ids()))[0]
        .boolean("gone");
  }

  // A client of one account: reads all it can read. A client of the deleted store also writes.
  void use(std::size_t which, const std::stop_token& stop) {
    const Tenant& tenant = tenants_[which];
    const bool deleted = which < 2;
    boost::asio::io_context loop;
    PairClient client{loop, *pair_, tenant.account.key};
    const auto paths = readable(tenant, catalogue_);
    for (std::size_t i = 0; !stop.stop_requested(); ++i) {
      Ask ask{.path = paths[i % paths.size()].second};
      if (deleted && i % 2 == 0) ask = write_of(tenant, i);
      const std::string what = std::format("{} {}", ask.method, ask.path);
      const Answer answer = runtime::run_to_end(loop, client.send(i / 3 % 2, std::move(ask)));
      ++(deleted ? used_deleted_ : used_kept_);
      if (answer.outcome != Answer::Outcome::answered) continue;  // the process was killed
      // A process that has just started may still connect to the database.
      const bool right =
          answer.status == 503 || (deleted ? answer.status < 500 : answer.status == 200);
      expect(right, std::format("{} of {}: {} {}", what, tenant.name, answer.status, answer.body));
      // With an unknown key a client stops: failed authentications are limited per address, which
      // all clients here share. Otherwise it retries with a pause.
      if (answer.status == 401) return;
      if (answer.status >= 400) std::this_thread::sleep_for(20ms);
    }
  }

  static Ask write_of(const Tenant& tenant, std::size_t number) {
    if (number % 10 == 0)
      return {.method = "POST", .path = "/exports/", .body = R"({"type":"contacts"})"};
    return {.method = "PATCH",
            .path = std::format("/contacts/email/{}.{}@late.example?createContact=true",
                                tenant.mark, number),
            .body = std::format(R"({{"firstName":"{}"}})", tenant.mark),
            .headers = {{"Idempotency-Key", std::format("{}-{}", tenant.mark, number)}}};
  }

  // Keys, links and cursors of the deleted store are refused; the kept store works.
  void check_access() {
    for (std::size_t which = 0; which < tenants_.size(); ++which) {
      const Tenant& tenant = tenants_[which];
      boost::asio::io_context loop;
      PairClient client{loop, *pair_, tenant.account.key};
      auto paths = readable(tenant, catalogue_);
      if (which < 2) paths.resize(kRefusalsTried);
      for (const auto& [route, path] : paths) {
        const Answer answer = runtime::run_to_end(loop, client.send(which % 2, {.path = path}));
        expect(answer.status == (which < 2 ? 401 : 200),
               std::format("{} of {}: {} {}", path, tenant.name, answer.status, answer.body));
      }
      const Answer link = runtime::run_to_end(loop, client.send(0, {.path = links_.at(which)}));
      expect(link.status == (which < 2 ? 410 : 200),
             std::format("a link of {}: {}", tenant.name, link.status));
    }
  }

  const Setting& setting_;
  std::mt19937_64 random_;
  Catalogue catalogue_;
  Stage stage_;
  KeptClients clients_;
  Maker maker_;
  pg::Script administrator_;
  std::vector<Tenant> tenants_;     // the deleted store, live and test, then the kept one
  std::vector<std::string> links_;  // one per tenant
  std::optional<ProcessPair> pair_;
  Needles marks_;
  Needles ids_;
  std::mutex mutex_;
  std::map<std::string, int> wrong_;  // guarded by mutex_
  std::atomic<int> used_deleted_ = 0;
  std::atomic<int> used_kept_ = 0;
  int kills_ = 0;
  double seconds_ = 0;
  std::int64_t rows_before_ = 0;
  std::int64_t kept_rows_ = 0;
  std::size_t files_before_ = 0;
};

}  // namespace

Verdict forget_account(const Setting& setting) { return ForgetAccount{setting}.run(); }

}  // namespace shopbell::proofs

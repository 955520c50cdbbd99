// Tries every operation with another account's ids, keys, cursors and idempotency keys. Two stores,
// live and test, are filled through the API, each with a mark in every string, its name included.
// Every response is searched for other accounts' marks, also while all accounts send requests over
// the same connections.
#include "tests/proofs/proofs/isolation.h"

#include <algorithm>
#include <format>
#include <print>
#include <random>
#include <thread>

#include "json/document.h"
#include "pg/script.h"
#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/actors/maker.h"

namespace shopbell::proofs {

namespace {

using operations::Method;

// Members with times and counters that the service may change by itself.
const std::vector<std::string> kMoving{"asOf", "lastUsedAt", "deprecatedRequests", "fileUrl"};
constexpr std::size_t kLeaksTold = 100;
constexpr std::uint64_t kThreads = 8;
constexpr int kPipelined = 16;

class Isolation {
 public:
  explicit Isolation(const Setting& setting)
      : setting_{setting},
        stage_{setting},
        clients_{stage_.host_port()},
        maker_{catalogue_, [this](const Ask& ask) { return ask_as(nullptr, ask); },
               rejecting(stage_)} {
    tenants_ = create_tenants(stage_, setting.quick ? 2 : 6, setting.seed);
  }

  Verdict run() {
    fill();
    check_marks();
    const auto before = snapshots();
    try_ids();
    compare(before, snapshots());
    try_foreign_names();
    ask_at_once();
    try_cursors();
    try_idempotency_keys();
    const auto late = write_past_deadlines(setting_, stage_, tenants_);
    for (const auto& wrong : late.wrong) leak("a write past its deadline", wrong);
    for (const auto& trouble : maker_.troubles()) leak("filling the accounts", trouble);
    Verdict verdict{.holds = counts_.leaks == 0 && late.timed_out > 0 && stage_.process(0).alive()};
    verdict.figures = std::format(
        "{} accounts, {} routes, {} objects; tried {} foreign ids, {} foreign or changed cursors, "
        "{} foreign idempotency keys; {} of {} writes timed out beside others; {} answers "
        "searched, {} leaks",
        tenants_.size(), catalogue_.routes().size(), counts_.objects, counts_.foreign_ids,
        counts_.cursors, counts_.idempotency_keys, late.timed_out, late.answered,
        counts_.answers.load(), counts_.leaks.load());
    if (!verdict.holds)
      verdict.figures += "; logs in " + stage_.installation().keep_logs().string();
    return verdict;
  }

 private:
  void leak(const std::string& where, const std::string& what) {
    if (++counts_.leaks > kLeaksTold) return;
    const std::scoped_lock lock{mutex_};
    std::println("✗ {}: {}", where, printable(what));
  }

  // Searches every response to a tenant. It ignores `instance` and the link to a deprecated path's
  // replacement, which repeat the tenant's own request.
  Reply ask_as(const Tenant* tenant, const Ask& ask) {
    Reply reply = clients_.ask(ask);
    search(tenant, ask, reply);
    return reply;
  }

  void search(const Tenant* tenant, const Ask& ask, const Reply& reply) {
    ++counts_.answers;
    const std::string where = std::format("{} {}", ask.method, ask.path);
    if (!reply.answered() || reply.status >= 500) leak(where, reply.brief());
    if (tenant == nullptr) return;
    const std::string sent = ask.path.substr(ask.path.rfind('/') + 1);
    const std::string told = without(reply.head, sent) + without_members(reply.body, {"instance"});
    for (const auto& other : tenants_) {
      if (&other != tenant && told.contains(other.mark))
        leak(where, std::format("{} sees data of {}: {}", tenant->name, other.name, told));
    }
  }

  Reply ask(const Tenant& tenant, const Route& route, const std::string& path) {
    return ask_as(&tenant,
                  request_of(route, path, route.access.needs_key() ? tenant.account.key : ""));
  }

  void fill() {
    for (auto& tenant : tenants_) {
      progress("isolation: filling " + tenant.name);
      counts_.objects += proofs::fill(tenant, catalogue_, maker_);
    }
    for (const auto& tenant : tenants_) await_jobs(tenant);
    stage_.pause_webhooks();
    await_rest();
  }

  // Until the lanes have processed every event and the usage is counted, objects change.
  void await_rest() {
    pg::Script database{stage_.installation().admin_url()};
    const auto await = [&](const std::string& what, const auto& rests) {
      for (int i = 0; !rests(); ++i) {
        if (i == 600) return leak("filling the accounts", what);
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
      }
    };
    const auto holds = [&](const std::string& condition) {
      return database.query(std::format("SELECT {} AS holds", condition))[0].boolean("holds");
    };
    const std::string behind =
        "FROM log_position WHERE reader = 'automation' AND tick < (SELECT max(tick) FROM log_tick)";
    await("the lanes do not rest", [&] { return holds("NOT EXISTS (SELECT " + behind + ")"); });
    const std::string now = database.query("SELECT clock_timestamp()::text AS now")[0].text("now");
    await("the usage is not counted", [&] {
      return !holds("advance_usage(1000000) > 0") &&
             holds(std::format("(SELECT at > '{}' FROM usage_position)", now));
    });
  }

  // Waits for jobs to finish, because their objects are compared later.
  void await_jobs(const Tenant& tenant) {
    for (const std::string list : {"/exports/?status=queued", "/exports/?status=inProgress",
                                   "/imports/?status=queued", "/imports/?status=inProgress"}) {
      const Ask ask{.path = list, .headers = {{"Authorization", "Bearer " + tenant.account.key}}};
      for (int i = 0; i < 200 && !ask_as(&tenant, ask).body.contains(R"("data":[])"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  }

  // Checks that the search works: a tenant sees its own mark in its objects (lists can be empty).
  void check_marks() {
    for (const auto& tenant : tenants_) {
      for (const auto& [route, object] : tenant.objects) {
        if (route->method != Method::get) continue;
        const Reply own = ask(tenant, *route, object.path);
        if (own.status != 200 || (!is_list(*route) && !own.body.contains(tenant.mark)))
          leak(route->description.id,
               std::format("{} does not see its own object: {}", tenant.name, own.brief()));
      }
    }
  }

  // Reads the whole list, page by page; adds the cursors it used to `cursors`.
  std::string whole(const Tenant& tenant, const Route& route, const std::string& path,
                    std::vector<std::string>* cursors = nullptr) {
    std::string text;
    std::string query = is_list(route) ? "limit=2" : "";
    while (true) {
      const Reply page = ask(tenant, route, query.empty() ? path : with_query(path, query));
      text += std::format("{} {}\n", page.status, without_members(page.body, kMoving));
      const auto next = text_member(page.body, "nextCursor");
      if (!next) return text;
      if (cursors != nullptr) cursors->push_back(*next);
      query = "limit=2&cursor=" + percent_encoded(*next);
    }
  }

  using Snapshot = std::map<std::string, std::string>;
  std::map<const Tenant*, Snapshot> snapshots() {
    std::map<const Tenant*, Snapshot> all;
    for (const auto& tenant : tenants_) {
      for (const auto& [route, path] : readable(tenant, catalogue_)) {
        const std::string text = whole(tenant, *route, path);
        // Cursors are removed, because they differ on each call.
        all[&tenant][path] = is_list(*route) ? without_cursors(text) : text;
      }
    }
    return all;
  }

  void compare(const std::map<const Tenant*, Snapshot>& before,
               const std::map<const Tenant*, Snapshot>& after) {
    for (const auto& tenant : tenants_) {
      for (const auto& [path, text] : before.at(&tenant)) {
        if (after.at(&tenant).at(path) != text)
          leak(path, std::format("data of {} was changed by others: {} → {}", tenant.name, text,
                                 after.at(&tenant).at(path)));
      }
    }
  }

  // Returns paths to another tenant's object: with all its values and, for nested objects, with the
  // own parent and the other tenant's child.
  static std::vector<std::string> foreign_paths(const Route& route, const Tenant& own,
                                                const Tenant& other) {
    const Object& theirs = other.objects.at(&route);
    std::vector<std::string> paths{theirs.path};
    const auto mine = own.objects.find(&route);
    if (theirs.values.size() > 1 && mine != own.objects.end()) {
      auto values = mine->second.values;
      values.back() = theirs.values.back();
      paths.push_back(path_with(route.path, values));
    }
    return paths;
  }

  void try_ids() {
    for (const auto& own : tenants_) {
      for (const auto& other : tenants_) {
        if (&own == &other) continue;
        progress(std::format("isolation: {} tries the ids of {}", own.name, other.name));
        for (const auto& [route, object] : other.objects) {
          if (upserts(*route)) continue;
          const Reply missing =
              ask(own, *route, missing_path(*route) + naming_query(*route, kNobody));
          for (const auto& path : foreign_paths(*route, own, other))
            expect_missing(own, *route, path, missing);
        }
      }
    }
  }

  // Tries request bodies that name another tenant's objects.
  void try_foreign_names() {
    for (const auto& route : catalogue_.routes()) {
      if (naming_members(route).empty()) continue;
      for (std::size_t i = 0; i < tenants_.size(); ++i) {
        const Tenant& own = tenants_[i];
        const Tenant& other = tenants_[(i + 1) % tenants_.size()];
        const auto request = maker_.good_request(other.account, route, maker_.next_mark("named"));
        if (!request) continue;
        ++counts_.foreign_ids;
        const Reply reply =
            ask_as(&own, with_header(*request, "Authorization", "Bearer " + own.account.key));
        if (reply.status != 404)
          leak(std::format("{} {}", request->method, route.path), reply.brief());
      }
    }
  }

  void expect_missing(const Tenant& own, const Route& route, const std::string& path,
                      const Reply& missing) {
    const auto essence = [](const Reply& reply) {
      return without_members(reply.body, {"requestId", "instance"});
    };
    ++counts_.foreign_ids;
    const Reply reply = ask(own, route, path);
    // A list of a contact's objects is empty if it has no such contact.
    const int wanted = has_parameters(route) ? 404 : 200;
    if (reply.status != wanted || essence(reply) != essence(missing))
      leak(std::format("{} {}", method_of(route), path),
           std::format("{} for {}, but for a missing object: {}", reply.brief(), own.name,
                       missing.brief()));
  }

  // All tenants read concurrently, with pipelined requests, because they share event loops,
  // database connections and cached keys.
  void ask_at_once() {
    progress("isolation: concurrent requests");
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < kThreads; ++i)
      threads.emplace_back([this, i] { ask_mixed(setting_.seed + i); });
  }

  void ask_mixed(std::uint64_t seed) {
    std::mt19937_64 random{seed};
    RawClient client{stage_.host_port()};
    for (int round = 0; round < (setting_.quick ? 10 : 200); ++round) {
      std::vector<std::pair<const Tenant*, Ask>> sent;
      std::string wire;
      for (int i = 0; i < kPipelined; ++i) {
        const Tenant& tenant = tenants_[random() % tenants_.size()];
        const auto paths = readable(tenant, catalogue_);
        const auto& [route, path] = paths[random() % paths.size()];
        sent.emplace_back(&tenant, request_of(*route, path, tenant.account.key));
        wire += wire_of(sent.back().second);
      }
      client.send(wire);
      for (const auto& [tenant, ask] : sent) {
        const Reply reply = client.read();
        search(tenant, ask, reply);
        if (!reply.answered()) return;
        if (reply.status != 200)
          leak(ask.path, std::format("{} reads its own object: {}", tenant->name, reply.brief()));
      }
    }
  }

  void try_cursors() {
    progress("isolation: cursors");
    for (const auto& other : tenants_) {
      for (const auto& [route, path] : readable(other, catalogue_)) {
        if (!is_list(*route)) continue;
        std::vector<std::string> cursors;
        whole(other, *route, path, &cursors);
        if (cursors.empty()) {
          leak(route->path, "no second page, hence no cursor to try");
          continue;
        }
        const std::string query = "limit=2&cursor=" + percent_encoded(cursors.front());
        expect_own_cursor(other, *route, path, cursors.front());
        for (const auto& own : tenants_) {
          if (&own == &other) continue;
          const auto mine = own.objects.find(route);
          ++counts_.cursors;
          const Reply reply = ask(
              own, *route, with_query(mine == own.objects.end() ? path : mine->second.path, query));
          if (reply.status != 422 || reply.code() != "invalid-cursor")
            leak(route->path,
                 std::format("a cursor of {} used by {}: {}", other.name, own.name, reply.brief()));
        }
      }
    }
  }

  // Expects that the tenant's own cursor works, but not with a changed letter, another order or
  // another list.
  void expect_own_cursor(const Tenant& tenant, const Route& route, const std::string& path,
                         const std::string& cursor) {
    const auto status = [&](const Route& list, const std::string& query) {
      ++counts_.cursors;
      return ask(tenant, list, with_query(&list == &route ? path : list.path, query)).status;
    };
    const std::string query = "limit=2&cursor=";
    if (status(route, query + percent_encoded(cursor)) != 200)
      leak(path, "the own cursor is rejected");
    for (std::size_t i = 0; i < cursor.size(); i += setting_.quick ? 7 : 1) {
      std::string changed = cursor;
      changed[i] = changed[i] == 'a' ? 'b' : 'a';
      if (changed != cursor && status(route, query + percent_encoded(changed)) != 422)
        leak(path, "a changed cursor is accepted: " + changed);
    }
    if (status(route, query + percent_encoded(cursor) + "&order=asc") != 422)
      leak(path, "a cursor of another order is accepted");
    for (const auto& list : catalogue_.routes()) {
      if (&list == &route || !is_list(list) || has_parameters(list)) continue;
      if (status(list, query + percent_encoded(cursor)) != 422)
        leak(list.path, "a cursor of another list is accepted");
    }
  }

  // The same Idempotency-Key with the same request in two accounts: each has its own effect.
  void try_idempotency_keys() {
    progress("isolation: idempotency keys");
    for (std::size_t i = 0; i < tenants_.size(); ++i) {
      const Tenant& first = tenants_[i];
      const Tenant& second = tenants_[(i + 1) % tenants_.size()];
      for (const auto& route : catalogue_.routes()) {
        if (is_write(route) && route.access.needs_key()) try_idempotency_key(first, second, route);
      }
    }
  }

  void try_idempotency_key(const Tenant& first, const Tenant& second, const Route& route) {
    const std::string mark = maker_.next_mark("neutral");
    auto request = maker_.good_request(first.account, route, mark);
    if (!request) return;
    // If callers choose the ids, the second account gets an object with the same id.
    if (has_parameters(route)) maker_.make(second.account, route, mark);
    const auto with_key = [&](const Tenant& tenant) {
      return with_header(with_header(*request, "Idempotency-Key", "isolation-" + mark),
                         "Authorization", "Bearer " + tenant.account.key);
    };
    ++counts_.idempotency_keys;
    const std::string where = std::format("{} {}", request->method, request->path);
    const Reply done = ask_as(&first, with_key(first));
    const Reply again = ask_as(&first, with_key(first));
    if (done.status >= 300 || again.header("idempotent-replayed") != "true")
      leak(where, std::format("no replay to compare with: {}, {}", done.brief(), again.brief()));
    const Reply others = ask_as(&second, with_key(second));
    const bool missing =
        (has_parameters(route) || !naming_members(route).empty()) && others.status == 404;
    if (!others.header("idempotent-replayed").empty() || (others.status >= 300 && !missing))
      leak(where, std::format("{} with an Idempotency-Key of {}: {}{}", second.name, first.name,
                              others.head, others.brief()));
    const Reply own = ask_as(&second, with_key(second));
    if (others.status < 300 && own.header("idempotent-replayed") != "true")
      leak(where, std::format("the request of {} is not replayed: {}", second.name, own.brief()));
    if (others.status < 300 && own.body != others.body)
      leak(where,
           std::format("{} gets a different response on replay: {}", second.name, own.brief()));
  }

  const Setting& setting_;
  Catalogue catalogue_;
  Stage stage_;
  KeptClients clients_;
  Counts counts_;
  std::mutex mutex_;  // guards standard output
  std::vector<Tenant> tenants_;
  Maker maker_;
};

}  // namespace

Verdict isolation(const Setting& setting) { return Isolation{setting}.run(); }

}  // namespace shopbell::proofs

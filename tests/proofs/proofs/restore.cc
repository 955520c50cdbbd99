// Makes backups with the scripts of deploy/backup while clients write, and restores them on
// separate servers: a dump, and a base backup with WAL up to a moment in the middle. All writes
// acknowledged before must be there, none that began after it. A service on that server then
// accepts all writes once more.
#include <algorithm>
#include <csignal>
#include <format>
#include <thread>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/backup_site.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/shop_load.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Installation;

struct Size {
  std::chrono::milliseconds dwell = 20s;  // time between two steps
  std::chrono::milliseconds pause = 2ms;  // pause of a client after each write
};

// A moment by the server's clock, and its span on the local clock.
struct Moment {
  std::string time;
  Span span;
};

Moment choose_moment(pg::Script& database) {
  Moment moment;
  moment.span.from = Steady::now();
  moment.time = database.query("SELECT clock_timestamp()::text AS now")[0].text("now");
  moment.span.to = Steady::now();
  return moment;
}

// Returns the number of rows and a checksum of every table, by account. Unlogged tables are left
// out, because no backup contains them.
std::string contents_of(pg::Script& database) {
  const pg::Result queries = database.query(R"sql(
SELECT format('SELECT %L AS name, %s AS account, count(*) AS n,
                 md5(coalesce(string_agg(md5(t::text), '''' ORDER BY md5(t::text)), '''')) AS sum
               FROM %I t GROUP BY 2 ORDER BY 2',
              c.relname,
              CASE WHEN a.attname IS NULL THEN '''-'''
                   ELSE 'coalesce(account_id::text, ''-'')' END,
              c.relname) AS query
  FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id'
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
   AND NOT c.relispartition AND c.relpersistence = 'p'
 ORDER BY c.relname)sql");
  std::string contents;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const pg::Result sums = database.query(queries[i].view("query"));
    for (std::size_t j = 0; j < sums.size(); ++j)
      contents += std::format("{} {} {} {}\n", sums[j].view("name"), sums[j].view("account"),
                              sums[j].view("n"), sums[j].view("sum"));
  }
  return contents;
}

struct Kept {
  std::filesystem::path base;
  Moment moment;
  std::filesystem::path dump;
  Span dump_span;
  std::filesystem::path files;
};

Kept keep(const BackupSite& site, pg::Script& database, const Size& size) {
  Kept kept;
  std::this_thread::sleep_for(size.dwell);
  progress("restore: a base backup");
  kept.base = site.base_backup();
  std::this_thread::sleep_for(size.dwell);
  kept.moment = choose_moment(database);
  std::this_thread::sleep_for(size.dwell);
  progress("restore: a dump");
  kept.dump_span.from = Steady::now();
  kept.dump = site.dump();
  kept.dump_span.to = Steady::now();
  std::this_thread::sleep_for(size.dwell);
  kept.files = site.keep_files();
  return kept;
}

// The state of a restored server, before and after the service runs on it.
struct Trial {
  Holding at_first;
  Holding in_the_end;  // result after all writes were sent once more
  bool well_ended = false;

  bool holds(std::size_t writes) const {
    return at_first.sound() && in_the_end.sound() && in_the_end.undone == 0 && well_ended &&
           in_the_end.there == static_cast<std::int64_t>(writes);
  }
  std::string figures() const {
    return std::format(
        "{} objects there, {} acknowledged before and lost, {} begun after but there, {} "
        "acknowledged after and undone, {} twice, {} incomplete; sent again: {} there, {} lost, {} "
        "twice, {} incomplete",
        at_first.there, at_first.lost, at_first.early, at_first.undone, at_first.twice,
        at_first.halves, in_the_end.there, in_the_end.lost + in_the_end.undone, in_the_end.twice,
        in_the_end.halves);
  }
};

Trial try_out(Installation& installation, const BackupSite::Server& server, ShopLoad& load,
              const std::string& key, Span span) {
  Trial trial;
  pg::Script database{server.admin_url};
  trial.at_first = load.compare(database, span);
  auto service = installation.start_service(server.environment);
  load.send_again(service, key);
  service.process->signal(SIGTERM);
  trial.well_ended = service.process->wait(15s) == 0;
  const auto now = Steady::now();
  trial.in_the_end = load.compare(database, {.from = now, .to = now});
  return trial;
}

}  // namespace

Verdict restore(const Setting& setting) {
  const Size size = setting.quick ? Size{.dwell = 500ms, .pause = 30ms} : Size{};
  Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_unlimited_key("Restore");
  BackupSite site{setting, installation};
  auto service = installation.start_service();
  pg::Script database{installation.admin_url()};
  ShopLoad load{service, key, size.pause};
  const Kept kept = keep(site, database, size);
  load.stop();
  service.process->signal(SIGTERM);
  const bool stopped = service.process->wait(15s) == 0;
  site.await_wal(database);

  progress("restore: recovering");
  const auto recovered = site.recover("recovered", kept.base, kept.files, kept.moment.time);
  const Trial moment = try_out(installation, recovered, load, key, kept.moment.span);
  progress("restore: loading");
  const auto loaded = site.load("loaded", kept.dump, kept.files);
  const Trial dump = try_out(installation, loaded, load, key, kept.dump_span);
  bool same = true;
  std::size_t sums = 0;
  if (!setting.quick) {  // quick runs skip this, because tests/backup does it with little data
    const std::string before = contents_of(database);
    const auto rested = site.load("rested", site.dump(), kept.files);
    pg::Script other{rested.admin_url};
    same = before == contents_of(other);
    sums = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  }
  // A run without writes after the chosen moment proves nothing.
  const bool told = moment.at_first.undone > 0 && moment.at_first.there > 0 &&
                    dump.at_first.there > moment.at_first.there;
  const bool holds = moment.holds(load.writes()) && dump.holds(load.writes()) && same && told &&
                     stopped && load.unexpected_responses.count == 0;
  std::string figures = std::format(
      "{} writes; base backup and WAL up to a moment: {}; dump under load: {}; {} unexpected "
      "responses",
      load.writes(), moment.figures(), dump.figures(), load.unexpected_responses.count);
  if (!setting.quick)
    figures += std::format("; dump without load: {} checksums per table and account {}", sums,
                           same ? "are the same" : "differ");
  for (const auto& example : load.unexpected_responses.examples) figures += "; " + example;
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs

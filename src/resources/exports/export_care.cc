#include "resources/exports/export_care.h"

#include "resources/exports/export_rules.h"

namespace shopbell::exports {

boost::asio::awaitable<Export> settled_wish(pg::Pool& database, pg::Scope scope,
                                            keyring::Keyring keyring, Asked asked,
                                            std::string body) {
  const auto document = json::Document::parse_body(body);
  const Instant now = system_clock().now();
  json::Reading reading;
  Export wish = asked == Asked::report ? read_report(document.root(), reading, now)
                                       : read_wish(document.root(), reading);
  reading.finish();
  pg::Group reads;
  read_names(reads, *scope.account, wish);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  wish.created_at = now;
  settle_names(reading, wish, found, keyring, *scope.account, now);
  reading.finish();
  co_return wish;
}

boost::asio::awaitable<Outcome> export_to(boost::asio::io_context& loop, std::string reader_url,
                                          std::int64_t account, Export wish,
                                          storage::Upload& upload, Report report) {
  pg::Snapshot snapshot{loop};
  co_await snapshot.open(std::move(reader_url), account);
  const Outcome outcome =
      co_await write_rows(snapshot, account, std::move(wish), upload, std::move(report));
  co_await upload.finish();
  co_return outcome;
}

}  // namespace shopbell::exports

#include "resources/exports/export_file.h"

#include "resources/exports/export_rules.h"

namespace shopbell::exports {

boost::asio::awaitable<Export> checked_export(operations::Input input, Asked asked) {
  const Instant now = input.clock().now();
  json::Reading reading;
  Export request = asked == Asked::report ? read_report(input.body(), reading, now)
                                          : read_request(input.body(), reading);
  reading.finish();
  pg::Group reads;
  read_names(reads, input.account(), request);
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  request.created_at = now;
  resolve_names(reading, request, found, input.keyring(), input.account(), now);
  reading.finish();
  co_return request;
}

boost::asio::awaitable<Outcome> export_to(boost::asio::io_context& loop, std::string reader_url,
                                          std::int64_t account, Export request,
                                          storage::Upload& upload, Report report) {
  pg::Snapshot snapshot{loop};
  co_await snapshot.open(std::move(reader_url), account);
  const Outcome outcome =
      co_await write_rows(snapshot, account, std::move(request), upload, std::move(report));
  co_await upload.finish();
  co_return outcome;
}

}  // namespace shopbell::exports

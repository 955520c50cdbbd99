#include "resources/exports/export_run.h"

#include <format>

#include "base/digest.h"
#include "base/limits.h"
#include "base/problem.h"
#include "compress/packer.h"
#include "json/document.h"
#include "resources/exports/export_query.h"

namespace shopbell::exports {

namespace {

boost::asio::awaitable<std::vector<OwnField>> own_fields(pg::Snapshot& snapshot,
                                                         std::int64_t account) {
  const pg::Result found = co_await snapshot.query(std::format(
      "/* exports.own_fields */ SELECT id, number, type, CASE WHEN required THEN default_value END "
      "AS standard FROM contact_field WHERE account_id = {} ORDER BY number",
      account));
  std::vector<OwnField> fields;
  fields.reserve(found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    fields.push_back({found[i].text("id"), found[i].text("number"), found[i].text("type"),
                      found[i].maybe_text("standard").value_or("")});
  co_return fields;
}

// The planner's guess: counting would cost nearly as much as reading.
boost::asio::awaitable<std::optional<std::int64_t>> guess_rows(pg::Snapshot& snapshot,
                                                               std::string rows) {
  if (rows.empty()) co_return std::nullopt;
  const pg::Result plan = co_await snapshot.query("EXPLAIN (FORMAT JSON) " + rows);
  const auto document = json::Document::parse(plan[0].view("QUERY PLAN"));
  std::optional<std::int64_t> guess;
  if (!document) co_return guess;
  document->root().for_each([&](std::string_view, const json::Value& entry) {
    const auto top = entry.member("Plan");
    const auto number = top ? top->member("Plan Rows") : std::nullopt;
    if (number) guess = std::stoll(std::string{number->number_text()});
  });
  co_return guess;
}

boost::asio::awaitable<Moment> this_moment(pg::Snapshot& snapshot) {
  const pg::Result found = co_await snapshot.query(
      "/* exports.this_moment */ SELECT pg_current_snapshot() AS snapshot, extract(epoch FROM "
      "now())::bigint AS taken, format('%s.%s.%s', (SELECT system_identifier FROM "
      "pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8), (SELECT oid FROM "
      "pg_database WHERE datname = current_database())) AS incarnation");
  co_return Moment{.incarnation = found[0].text("incarnation"),
                   .taken_s = found[0].integer("taken"),
                   .snapshot = found[0].text("snapshot")};
}

// It was right when it was queued; meanwhile another database may have taken over.
void require_same_life(const Export& wish, const Moment& now) {
  if (!wish.filters.since) return;
  const auto then = moment_in(*wish.filters.since);
  if (then && then->incarnation == now.incarnation) return;
  throw Problem{
      Code::invalid_body,
      "The watermark is of another life of the database: begin with a whole export again."};
}

// Packs, hashes, counts and stores.
class Sink {
 public:
  Sink(storage::Upload& upload, const Export& wish)
      : upload_{upload},
        packing_{compress::packing_of(wish.compression).value_or(compress::Packing::none)},
        packer_{packing_, inner_name(wish)} {}

  boost::asio::awaitable<void> write(std::string block) {
    if (packing_ == compress::Packing::none) co_return co_await store(std::move(block));
    packer_.add(block, packed_);
    if (packed_.size() >= limits::kCopyBlock) co_await store(std::exchange(packed_, {}));
  }

  boost::asio::awaitable<void> finish() {
    packer_.finish(packed_);
    if (!packed_.empty()) co_await store(std::exchange(packed_, {}));
  }

  Outcome outcome(Moment moment, std::int64_t rows) {
    return {std::move(moment), rows, bytes_, to_hex(hash_.finish())};
  }

 private:
  static std::string inner_name(const Export& wish) {
    Export plain = wish;
    plain.compression = "none";
    return file_name_of(plain);
  }

  boost::asio::awaitable<void> store(std::string block) {
    hash_.add(block);
    bytes_ += static_cast<std::int64_t>(block.size());
    co_await upload_.write(std::move(block));
  }

  storage::Upload& upload_;
  const compress::Packing packing_;
  compress::Packer packer_;
  std::string packed_;
  Sha256Stream hash_;
  std::int64_t bytes_ = 0;
};

}  // namespace

boost::asio::awaitable<Outcome> write_rows(pg::Snapshot& snapshot, std::int64_t account,
                                           Export wish, storage::Upload& upload, Report report) {
  Moment moment = co_await this_moment(snapshot);
  require_same_life(wish, moment);
  const auto own =
      wish.type == "contacts" ? co_await own_fields(snapshot, account) : std::vector<OwnField>{};
  const Statement statement = statement_of(wish, account, chosen_columns(wish, own));
  const auto guess = co_await guess_rows(snapshot, statement.plain);
  Sink sink{upload, wish};
  std::int64_t rows = statement.header ? -1 : 0;
  report({0, guess});
  co_await snapshot.copy(statement.copy);
  while (true) {
    std::string block;
    const std::int64_t more = co_await snapshot.read_rows(block);
    if (more == 0) break;
    rows += more;
    co_await sink.write(std::move(block));
    report({rows, guess.transform([&](std::int64_t about) { return std::max(about, rows); })});
  }
  co_await sink.finish();
  report({rows, rows});
  co_return sink.outcome(std::move(moment), rows);
}

}  // namespace shopbell::exports

#include "resources/exports/export_run.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/problem.h"
#include "compress/packer.h"
#include "json/document.h"
#include "resources/exports/export_query.h"
#include "resources/exports/person.h"
#include "resources/exports/queries.h"

namespace shopbell::exports {

namespace {

boost::asio::awaitable<std::vector<OwnField>> own_fields(pg::Snapshot& snapshot,
                                                         std::int64_t account) {
  const pg::Result found = co_await snapshot.query(sql::list_own_fields, account);
  co_return found.map([](const pg::Row& row) {
    return OwnField{row.text("id"), row.text("number"), row.text("type"),
                    row.maybe_text("standard").value_or("")};
  });
}

// Estimates the rows with the planner: counting them would cost nearly as much as reading them.
boost::asio::awaitable<std::optional<std::int64_t>> estimate_rows(pg::Snapshot& snapshot,
                                                                  std::string rows) {
  if (rows.empty()) co_return std::nullopt;
  const pg::Result plan = co_await snapshot.query("EXPLAIN (FORMAT JSON) " + rows);
  const auto document = json::Document::parse(plan[0].view("QUERY PLAN"));
  std::optional<std::int64_t> estimate;
  if (!document) co_return estimate;
  document->root().for_each([&](std::string_view, const json::Value& entry) {
    const auto top = entry.member("Plan");
    const auto number = top ? top->member("Plan Rows") : std::nullopt;
    if (number) estimate = std::stoll(std::string{number->number_text()});
  });
  co_return estimate;
}

boost::asio::awaitable<Moment> this_moment(pg::Snapshot& snapshot) {
  const pg::Result found = co_await snapshot.query(sql::get_moment);
  co_return Moment{.incarnation = found[0].text("incarnation"),
                   .taken_s = found[0].integer("taken"),
                   .snapshot = found[0].text("snapshot")};
}

// The watermark was valid when the job was queued; the database may have failed over since.
void require_same_incarnation(const Export& request, const Moment& now) {
  if (!request.filters.since) return;
  const auto then = moment_in(*request.filters.since);
  if (then && then->incarnation == now.incarnation) return;
  throw Problem{
      Code::invalid_body,
      "The watermark is from before the database was restored or failed over; start with a full "
      "export."};
}

// Returns the contact's current id: it may have been merged or erased since the job was queued.
boost::asio::awaitable<std::string> living_contact(pg::Snapshot& snapshot, std::int64_t account,
                                                   std::string id) {
  const pg::Result found = co_await snapshot.query(sql::find_living_contact, account, id);
  if (found.empty()) throw Problem{Code::contact_not_found, "The contact has been erased."};
  co_return found[0].text("contact_id");
}

// Compresses, hashes and stores the file.
class Sink {
 public:
  // `file` is the name of the first, or only, file of the archive.
  Sink(storage::Upload& upload, const Export& request, std::string file)
      : upload_{upload},
        packing_{compress::packing_of(request.compression).value_or(compress::Packing::none)},
        packer_{packing_, std::move(file)} {}

  // Starts the next file of the archive.
  void next(std::string file) { packer_.next(std::move(file), packed_); }

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

// Returns the name of the file inside an archive, without the extension of the archive.
std::string inner_name(const Export& request) {
  Export plain = request;
  plain.compression = "none";
  return file_name_of(plain);
}

std::vector<Part> parts_of(const Export& request, std::int64_t account,
                           const std::vector<OwnField>& own) {
  if (request.is_person()) return parts_of_person(request, account, own);
  return {{inner_name(request), statement_of(request, account, chosen_columns(request, own))}};
}

// Counts the rows of all files of the export, and reports the progress.
struct ProgressTracker {
  Progress progress;
  Report report;

  void advance(std::int64_t rows) {
    progress.done += rows;
    if (progress.total) progress.total = std::max(*progress.total, progress.done);
    report(progress);
  }
};

boost::asio::awaitable<void> write_part(pg::Snapshot& snapshot, const Statement& statement,
                                        Sink& sink, ProgressTracker& tracker) {
  bool at_header = statement.header;
  co_await snapshot.copy(statement.copy);
  while (true) {
    std::string block;
    const std::int64_t more = co_await snapshot.read_rows(block);
    if (more == 0) break;
    co_await sink.write(std::move(block));
    tracker.advance(std::exchange(at_header, false) ? more - 1 : more);
  }
}

}  // namespace

boost::asio::awaitable<Outcome> write_rows(pg::Snapshot& snapshot, std::int64_t account,
                                           Export request, storage::Upload& upload, Report report) {
  Moment moment = co_await this_moment(snapshot);
  require_same_incarnation(request, moment);
  if (request.is_person())
    request.filters.contact->id =
        co_await living_contact(snapshot, account, request.filters.contact->id.value_or(""));
  // Reports aggregate in memory. More work_mem is affordable, because few jobs run at a time.
  if (request.is_report()) co_await snapshot.query("SET LOCAL work_mem = '64MB'");
  const bool of_contacts = request.type == "contacts" || request.is_person();
  const auto own = of_contacts ? co_await own_fields(snapshot, account) : std::vector<OwnField>{};
  const std::vector<Part> parts = parts_of(request, account, own);
  ProgressTracker tracker{.progress = {}, .report = std::move(report)};
  if (parts.size() == 1)
    tracker.progress.total = co_await estimate_rows(snapshot, parts.front().statement.plain);
  Sink sink{upload, request, parts.front().file};
  tracker.advance(0);
  for (const auto& part : parts) {
    if (&part != &parts.front()) sink.next(part.file);
    co_await write_part(snapshot, part.statement, sink, tracker);
  }
  co_await sink.finish();
  tracker.progress.total = tracker.progress.done;
  tracker.advance(0);
  co_return sink.outcome(std::move(moment), tracker.progress.done);
}

}  // namespace shopbell::exports

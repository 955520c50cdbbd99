#include "resources/imports/failures.h"

#include <array>
#include <format>

#include "csv/csv_writer.h"
#include "resources/imports/queries.h"

namespace shopbell::imports {

namespace {

constexpr int kBatches = 100;
constexpr std::int64_t kPage = 50;  // rows per read: each may have a mebibyte
constexpr std::array<std::string_view, 4> kColumns{"error.row", "error.pointer", "error.code",
                                                   "error.detail"};

std::string detail_of(const std::vector<RowError>& errors) {
  if (errors.size() == 1) return errors.front().detail;
  std::string detail;
  for (const auto& error : errors)
    detail += std::format("{}{}: {}", detail.empty() ? "" : " ", error.pointer, error.detail);
  return detail;
}

// The header as in the file, without the columns that an earlier report added.
std::string header_line(const Header& header, char delimiter) {
  std::string line;
  csv::Writer writer{line, {.delimiter = delimiter, .line_end = ""}};
  for (const auto& name : header.names())
    if (!name.starts_with("error.")) writer.cell(name);
  writer.end_row();
  return line;
}

}  // namespace

void Failures::add(const Record& record, const std::vector<RowError>& errors) {
  if (errors.empty()) return;
  for (std::size_t i = 0; i < record.lines.size(); ++i)
    rows_.add(job_.id, record.row + static_cast<std::int64_t>(i), errors.front().pointer,
              errors.front().code, detail_of(errors), record.lines[i]);
}

void Failures::add_to(pg::Group& effect) {
  rows_.add_to(effect, sql::insert_import_failures, job_.account);
}

boost::asio::awaitable<void> delete_ended_failures(pg::Pool& database) {
  for (int batch = 0; batch < kBatches; ++batch) {
    const pg::Result gone =
        co_await database.query({}, sql::delete_import_failures, limits::kUpkeepBatch);
    if (gone[0].integer("count") < limits::kUpkeepBatch) co_return;
  }
}

boost::asio::awaitable<void> write_report(pg::Pool& database, pg::Scope scope, Uuid job,
                                          const Records& records, storage::Upload& upload) {
  const Header* header = records.header();
  const char delimiter = header == nullptr ? ',' : records.delimiter();
  std::string block = header == nullptr ? "line" : header_line(*header, delimiter);
  const csv::Style style{.delimiter = delimiter};
  const auto add = [&](std::span<const std::string> cells) {
    std::string tail;
    csv::Writer writer{tail, style};
    for (const auto& cell : cells) writer.cell(cell);
    writer.end_row();
    block.push_back(delimiter);
    block += tail;
  };
  add(std::vector<std::string>{kColumns.begin(), kColumns.end()});
  std::int64_t after = 0;
  while (true) {
    const pg::Result page = co_await database.query(scope, sql::list_import_failures,
                                                    *scope.account, job, after, kPage);
    for (std::size_t i = 0; i < page.size(); ++i) {
      const pg::Row row = page[i];
      after = row.integer("row");
      if (header != nullptr) {
        block += row.view("line");
      } else {
        csv::Writer writer{block, {.line_end = ""}};
        writer.cell(row.view("line"));
        writer.end_row();
      }
      add(std::vector<std::string>{std::to_string(after), row.text("pointer"), row.text("code"),
                                   row.text("detail")});
    }
    co_await upload.write(std::exchange(block, {}));
    if (page.size() < static_cast<std::size_t>(kPage)) co_return;
  }
}

}  // namespace shopbell::imports

// Records: a file as what a request would have said, one after the other, each with its place: of
// CSV a row, or the rows of one purchase; of NDJSON a line. Only what is being read is in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "resources/imports/header.h"
#include "resources/imports/import.h"
#include "resources/imports/source.h"

namespace shopbell::imports {

struct Record {
  std::int64_t row = 0;            // of the data, from 1
  std::vector<std::string> lines;  // as they stand in the file, one a row
  std::uint64_t end = 0;           // the byte behind it
  std::string json;                // an object
  std::optional<RowError> fault;   // it cannot be read
  std::int64_t left_out = 0;       // further rows of it whose lines are not kept

  std::int64_t rows() const { return std::ssize(lines) + left_out; }
};

class Records {
 public:
  // `grouped` is the column whose equal neighbours make one record, with a list of lines; or
  // nothing.
  Records(storage::Storage& storage, const Import& import, FindKind find, std::string grouped = "");
  ~Records();
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  // Reads the header, and goes to where an earlier attempt has come. Throws what is wrong with the
  // file as a whole.
  boost::asio::awaitable<void> open(std::int64_t position, std::int64_t row);

  // The next ones: at most so many, and not many more bytes than that. None at the end.
  boost::asio::awaitable<std::vector<Record>> next(std::size_t most, std::size_t bytes);

  // Of CSV.
  const Header* header() const { return header_ ? &*header_ : nullptr; }
  char delimiter() const { return delimiter_; }

 private:
  boost::asio::awaitable<void> read_header();
  void take_row(const csv::Row& row);
  void take_broken(Record record);
  void add_row(const csv::Row& row);
  std::string line_of(const csv::Row& row) const;
  void take_line(std::string_view line, std::uint64_t end);
  void start_record(const csv::Row& row, std::string group);
  void add_element(std::span<const csv::Cell> cells);
  void end_group();
  bool parse(std::size_t most, std::size_t bytes);
  bool parse_csv(std::size_t most, std::size_t bytes);
  bool parse_lines(std::size_t most, std::size_t bytes);
  void keep(Record record);

  Source source_;
  const bool csv_;
  std::optional<char> wished_;
  const FindKind find_;
  const std::string grouped_;

  std::optional<Header> header_;
  bool from_report_ = false;  // the file has columns of a report
  char delimiter_ = ',';
  bool past_header_ = false;
  std::unique_ptr<csv::Reader> reader_;
  std::string block_;
  std::string line_;       // of NDJSON, begun in an earlier block
  bool too_long_ = false;  // it is, and its text is not kept
  std::uint64_t position_ = 0;
  std::int64_t row_ = 0;
  bool ended_ = false;

  // Of the record that further rows may belong to.
  struct Group {
    Record record;
    std::string name;
    std::string members;  // JSON of an object
    std::string elements;
    std::size_t bytes = 0;
  };
  std::optional<Group> group_;
  std::vector<Record> broken_;  // rows behind it that cannot be read, and may be of it
  std::size_t broken_bytes_ = 0;

  std::vector<Record> ready_;
  std::size_t ready_bytes_ = 0;
};

}  // namespace shopbell::imports

#include "pg/result.h"

#include <charconv>
#include <cstring>
#include <format>
#include <stdexcept>

#include <libpq-fe.h>

#include "base/digest.h"

namespace shopbell::pg {

namespace {

[[noreturn]] void unexpected(const char* column, std::string_view what) {
  throw std::logic_error{std::format("column {}: {}", column, what)};
}

std::int64_t to_integer(const char* column, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    unexpected(column, "not an integer");
  return value;
}

Instant to_instant(const char* column, std::string_view text) {
  const auto instant = parse_postgres_time(text);
  if (!instant) unexpected(column, "not a time in UTC");
  return *instant;
}

}  // namespace

std::optional<std::string_view> Row::find(const char* column) const {
  const int count = PQnfields(result_);
  int index = next_;
  for (int tried = 0;; ++tried, ++index) {
    if (tried == count) unexpected(column, "not in the result");
    if (index >= count) index = 0;
    if (std::strcmp(PQfname(result_, index), column) == 0) break;
  }
  next_ = index + 1;
  if (PQgetisnull(result_, row_, index)) return std::nullopt;
  return std::string_view{PQgetvalue(result_, row_, index),
                          static_cast<std::size_t>(PQgetlength(result_, row_, index))};
}

std::string_view Row::view(const char* column) const {
  const auto value = find(column);
  if (!value) unexpected(column, "NULL");
  return *value;
}

std::optional<std::string> Row::maybe_text(const char* column) const {
  return find(column).transform([](std::string_view text) { return std::string{text}; });
}

std::int64_t Row::integer(const char* column) const { return to_integer(column, view(column)); }

std::optional<std::int64_t> Row::maybe_integer(const char* column) const {
  return find(column).transform([&](std::string_view text) { return to_integer(column, text); });
}

bool Row::boolean(const char* column) const { return view(column) == "t"; }

Instant Row::instant(const char* column) const { return to_instant(column, view(column)); }

std::optional<Instant> Row::maybe_instant(const char* column) const {
  return find(column).transform([&](std::string_view text) { return to_instant(column, text); });
}

Uuid Row::uuid(const char* column) const {
  const auto id = Uuid::parse(view(column));
  if (!id) unexpected(column, "not a UUID");
  return *id;
}

std::vector<std::string> Row::texts(const char* column) const {
  const std::string_view array = view(column);  // such as {plain,"quoted \"so\""}
  std::vector<std::string> texts;
  if (array == "{}") return texts;
  bool quoted = false;
  texts.emplace_back();
  for (std::size_t i = 1; i + 1 < array.size(); ++i) {
    const char c = array[i];
    if (c == '\\') {
      texts.back().push_back(array[++i]);
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      texts.emplace_back();
    } else {
      texts.back().push_back(c);
    }
  }
  return texts;
}

std::vector<std::uint8_t> Row::bytes(const char* column) const {
  const std::string_view text = view(column);  // such as \x0123
  auto bytes = text.starts_with("\\x") ? from_hex(text.substr(2)) : std::nullopt;
  if (!bytes) unexpected(column, "not bytes");
  return std::move(*bytes);
}

std::optional<std::vector<std::uint8_t>> Row::maybe_bytes(const char* column) const {
  return find(column).transform([&](std::string_view) { return bytes(column); });
}

void Result::Free::operator()(pg_result* result) const { PQclear(result); }

std::size_t Result::size() const { return static_cast<std::size_t>(PQntuples(result_.get())); }

std::optional<Row> Result::first() const {
  if (empty()) return std::nullopt;
  return (*this)[0];
}

std::string_view Result::command() const { return PQcmdStatus(result_.get()); }

}  // namespace shopbell::pg

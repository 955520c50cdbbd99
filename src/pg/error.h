// Error: why a group has no result. PostgreSQL refused it (then it was rolled back), it was never
// sent, or its answer was lost (then its outcome is unknown).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace shopbell::pg {

// libpq ends its messages with line breaks; ours have none.
inline std::string message_of(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string{text};
}

class Error : public std::runtime_error {
 public:
  enum class Kind {
    refused,      // the server refused with a SQLSTATE and rolled the group back
    unavailable,  // the group was never sent: no connection, or too many groups queued
    lost,         // the connection ended before the answer: the group may be committed
    timeout,      // the deadline passed before the answer: the group may be committed
  };

  Error(Kind kind, const std::string& message) : std::runtime_error{message}, kind_{kind} {}
  Error(const std::string& message, std::string sqlstate, std::string constraint, std::string query)
      : std::runtime_error{message},
        kind_{Kind::refused},
        sqlstate_{std::move(sqlstate)},
        constraint_{std::move(constraint)},
        query_{std::move(query)} {}

  Kind kind() const { return kind_; }
  const std::string& sqlstate() const { return sqlstate_; }  // "23505"; empty unless refused
  const std::string& constraint() const {
    return constraint_;
  }  // the violated constraint's name, if any
  const std::string& query() const { return query_; }  // name of the statement that failed

  // The database is shutting down, starting, full, out of connections, or has a failing disk: retry
  // later.
  bool is_outage() const {
    return kind_ == Kind::unavailable || kind_ == Kind::lost || sqlstate_.starts_with("57P") ||
           sqlstate_.starts_with("53") || sqlstate_.starts_with("08") || sqlstate_ == "58030";
  }
  // The write lost a race: a guard (`require` with SB001, or a constraint) found that the writer
  // had read stale data, or two writers blocked each other. Reading again and retrying may succeed.
  bool is_overtaken() const {
    return sqlstate_ == "SB001" || sqlstate_ == "23505" || sqlstate_ == "23503" ||
           sqlstate_ == "40001" || sqlstate_ == "40P01" || is_lock_timeout();
  }
  bool is_lock_timeout() const { return sqlstate_ == "55P03"; }
  bool is_timeout() const { return kind_ == Kind::timeout || sqlstate_ == "57014"; }

 private:
  Kind kind_;
  std::string sqlstate_;
  std::string constraint_;
  std::string query_;
};

}  // namespace shopbell::pg

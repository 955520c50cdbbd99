// Logs: one JSON object per line on standard error; standard output is for the output of commands.
// Callers must never log raw paths, bodies, keys or personal data other than a client's address.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace shopbell::observe {

enum class Level { debug, info, warn, error };

struct Member {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double, bool> value;

  Member(std::string_view member, std::string_view text) : name{member}, value{text} {}
  Member(std::string_view member, const char* text) : name{member}, value{std::string_view{text}} {}
  Member(std::string_view member, const std::string& text)
      : name{member}, value{std::string_view{text}} {}
  Member(std::string_view member, bool truth) : name{member}, value{truth} {}
  Member(std::string_view member, double number) : name{member}, value{number} {}
  template <std::integral Integer>
  Member(std::string_view member, Integer number)
      : name{member}, value{static_cast<std::int64_t>(number)} {}
};

// Call before the first log(). Lines below `least` are not written.
void start_logs(Level least);
bool logs_at(Level level);

// log(Level::info, "listening", {{"url", url}}) writes
// {"time":"2026-11-15T02:04:25.123Z","level":"info","event":"listening","url":"http://127.0.0.1:8080"}
void log(Level level, std::string_view event, std::initializer_list<Member> members = {});

// Writes the buffered lines. Also happens automatically every 200 ms, and at once after a warning
// or an error.
void flush_logs();

}  // namespace shopbell::observe

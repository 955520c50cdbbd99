#include "observe/log.h"

#include <array>
#include <cstdio>
#include <format>
#include <iterator>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/text.h"
#include "base/time.h"

namespace shopbell::observe {

namespace {

constexpr std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warn", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

spdlog::level::level_enum to_spdlog(Level level) {
  constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                               spdlog::level::err};
  return kLevels[static_cast<std::size_t>(level)];
}

void append_json(std::string& line, std::string_view text) {
  line.push_back('"');
  if (!is_utf8(text)) text = "(not UTF-8)";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      line.push_back('\\');
      line.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<int>(c));
    } else {
      line.push_back(c);
    }
  }
  line.push_back('"');
}

struct AppendValue {
  std::string& line;
  void operator()(std::string_view text) const { append_json(line, text); }
  void operator()(bool truth) const { line += truth ? "true" : "false"; }
  void operator()(std::int64_t number) const { line += std::to_string(number); }
  void operator()(double number) const {
    std::format_to(std::back_inserter(line), "{:.3f}", number);
  }
};

}  // namespace

void start_logs(Level least) {
  static std::array<char, 65'536> buffer;
  // Standard error is unbuffered, and one write per request would cost more than the request
  // itself.
  setvbuf(stderr, buffer.data(), _IOFBF, buffer.size());
  auto logger = spdlog::stderr_logger_mt("shopbell");
  logger->set_pattern("%v");
  logger->set_level(to_spdlog(least));
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
  spdlog::flush_every(std::chrono::milliseconds{200});
}

void flush_logs() { spdlog::default_logger_raw()->flush(); }

bool logs_at(Level level) { return spdlog::default_logger_raw()->should_log(to_spdlog(level)); }

void log(Level level, std::string_view event, std::initializer_list<Member> members) {
  if (!logs_at(level)) return;
  std::string line;
  line.reserve(256);
  line += R"({"time":")";
  line += to_rfc3339(system_clock().now());
  line += R"(","level":")";
  line += name_of(level);
  line += R"(","event":)";
  append_json(line, event);
  for (const auto& member : members) {
    line.push_back(',');
    append_json(line, member.name);
    line.push_back(':');
    std::visit(AppendValue{line}, member.value);
  }
  line.push_back('}');
  spdlog::default_logger_raw()->log(to_spdlog(level), line);
}

}  // namespace shopbell::observe

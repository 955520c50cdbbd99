#include <cmath>
#include <format>

#include "app/doctor/doctor_checks.h"

namespace shopbell::app {

namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1024} * 1024 * 1024;

std::string bytes_in_words(std::uint64_t bytes) {
  return std::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(kGibibyte));
}

}  // namespace

Finding grade_space(const std::string& place, std::uint64_t free_bytes, std::uint64_t all_bytes) {
  if (all_bytes == 0) return {Grade::ok, std::format("{} reports no size", place), {}};
  const double share = static_cast<double>(free_bytes) / static_cast<double>(all_bytes);
  const bool is_low = share < 0.10 || free_bytes < kGibibyte;
  std::string found = std::format("{} has {} free, {:.1f} %", place, bytes_in_words(free_bytes),
                                  std::floor(share * 1000) / 10);
  if (!is_low) return {Grade::ok, std::move(found), {}};
  return {share < 0.01 ? Grade::fault : Grade::warn, std::move(found),
          "free space on that disk, or set storage.directory to another one"};
}

Finding grade_clock(std::chrono::microseconds ahead) {
  const double seconds = std::chrono::duration<double>{ahead}.count();
  const double apart = std::abs(seconds);
  std::string found = std::format("the database's clock is {:.1f} s {} this machine's", apart,
                                  seconds < 0 ? "behind" : "ahead of");
  if (apart <= 1)
    return {Grade::ok,
            "the clocks of the database and this machine differ by at "
            "most 1 s",
            {}};
  return {apart > 5 ? Grade::fault : Grade::warn, std::move(found),
          "synchronize both clocks with a time server: systemctl enable --now systemd-timesyncd"};
}

Finding grade_certificate(Instant begins, Instant ends, Instant now) {
  constexpr std::string_view kRenew =
      "renew it and replace both files; the service reloads them within seconds";
  if (now < begins)
    return {Grade::fault, std::format("not valid before {}", to_rfc3339(begins)),
            "install a certificate that is valid now, or correct this machine's clock"};
  if (ends <= now)
    return {Grade::fault, std::format("expired at {}", to_rfc3339(ends)), std::string{kRenew}};
  const auto left = std::chrono::floor<std::chrono::days>(ends - now);
  std::string found = std::format("expires in {} days, at {}", left.count(), to_rfc3339(ends));
  if (left < std::chrono::days{14}) return {Grade::warn, std::move(found), std::string{kRenew}};
  return {Grade::ok, std::move(found), {}};
}

Finding grade_age(const std::string& database, std::int64_t transactions) {
  std::string found =
      std::format("the oldest row of {} is {} million transactions old; PostgreSQL stops at 2,100",
                  database, transactions / 1'000'000);
  if (transactions <= 1'500'000'000) return {Grade::ok, std::move(found), {}};
  return {transactions > 2'000'000'000 ? Grade::fault : Grade::warn, std::move(found),
          std::format("as administrator, in {}: VACUUM (FREEZE), after ending the transactions "
                      "listed under `open transactions`",
                      database)};
}

Finding grade_room(std::int64_t room, std::int64_t standing, std::int64_t most) {
  std::string found =
      std::format("PostgreSQL allows {}; a process opens {}, and up to {} under write contention",
                  room, standing, most);
  if (room >= most) return {Grade::ok, std::move(found), {}};
  return {room < standing ? Grade::fault : Grade::warn, std::move(found),
          std::format("ALTER SYSTEM SET max_connections = {}, and restart PostgreSQL; or lower "
                      "http.threads, database.connections or database.write_connections",
                      most + 20)};
}

std::string connection_trouble(std::string_view message) {
  for (const std::string_view lead : {" failed: ", "\" to address: "}) {
    const auto at = message.rfind(lead);
    if (at == std::string_view::npos) continue;
    message.remove_prefix(at + lead.size());
    const auto why = message.substr(0, message.find('\n'));
    return why.empty() ? "the server does not respond" : std::string{why};
  }
  if (message.starts_with("connecting took too long")) return std::string{message};
  return "the connection string is invalid";
}

}  // namespace shopbell::app

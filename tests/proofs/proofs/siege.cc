// Thousands of hostile connections without a key, from one address and from many: they read large
// responses slowly, send heads and bodies slowly, and send large bodies. The service's memory stays
// bounded, and the latency of a well-behaved account does not change.
#include <algorithm>
#include <array>
#include <atomic>
#include <format>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <netinet/in.h>
#include <sys/resource.h>

#include "runtime/wait.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using asio::ip::tcp;
using boost::system::error_code;
using runtime::Steady;

// Resident memory of the service; the quick run has fewer connections.
constexpr std::size_t kMostMegabytes = 512;
constexpr std::size_t kMostMegabytesQuick = 160;
constexpr auto kBeforeRetry = 10s;     // pause after the service has closed a connection
constexpr auto kBetweenOpens = 200us;  // interval of new connections while the siege begins
constexpr std::size_t kNeighbours = 16;

std::string bytes_of(std::size_t kind) {
  const std::string host = " HTTP/1.1\r\nHost: siege\r\n";
  const std::string lines = "POST /custom-events/alias/siege" + host;
  std::string requests;
  switch (kind) {
    case 0:  // requests for many large responses, which the client reads slowly
      for (int i = 0; i < 8; ++i) requests += "GET /openapi.json" + host + "\r\n";
      return requests;
    case 1:
      for (int i = 0; i < 8; ++i) requests += "GET /docs" + host + "\r\n";
      return requests;
    case 2:  // a head that never ends
      return "GET /store/" + host + "X-Slow: ";
    case 3:  // a long head that never ends
      return "GET /store/" + host + "X-Long: " + std::string(30'000, 'x');
    case 4:  // a body that never ends
      return lines + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
    default:  // a large body
      return lines + "Content-Type: application/x-ndjson\r\nContent-Length: 8000000\r\n\r\n" +
             std::string(500'000, ' ');
  }
}

constexpr std::size_t kKinds = 6;

class Siege {
 public:
  // A slow client sends or reads something every `step`.
  Siege(const ProcessPair::Life& target, std::size_t connections, std::size_t addresses,
        std::chrono::seconds step)
      : target_{asio::ip::make_address(target.host),
                static_cast<std::uint16_t>(std::stoi(target.port))},
        connections_{connections},
        addresses_{addresses},
        step_{step} {
    for (std::size_t kind = 0; kind < kKinds; ++kind) bytes_[kind] = bytes_of(kind);
    for (std::size_t i = 0; i < connections; ++i) asio::co_spawn(loop_, attack(i), asio::detached);
    thread_ = std::jthread{[this] { loop_.run(); }};
  }
  ~Siege() {
    running_ = false;
    stopping_ = true;
    thread_.join();
  }

  // Starts or ends the siege. Returns once every connection was tried, or all are closed.
  void run(bool on) {
    tried_ = 0;
    running_ = on;
    while (on ? tried_ < connections_ : open_ > 0) std::this_thread::sleep_for(20ms);
  }

  std::size_t opened() const { return opened_; }
  std::size_t most_open() const { return most_open_; }

 private:
  // Returns a source address. The neighbours use another one, 127.0.0.1.
  asio::ip::address_v4 address_of(std::size_t number) const {
    const auto which = static_cast<std::uint32_t>(number % addresses_);
    return asio::ip::address_v4{0x7F000000U + 0x10000U + which};
  }

  asio::awaitable<void> attack(std::size_t number) {
    while (!stopping_) {
      if (!running_) {
        co_await runtime::sleep_for(100ms);
        continue;
      }
      co_await runtime::sleep_for(kBetweenOpens * static_cast<std::int64_t>(number));
      bool first = true;
      while (running_) {
        co_await attack_once(number, first);
        first = false;
        const auto until = Steady::now() + kBeforeRetry;
        while (running_ && Steady::now() < until) co_await runtime::sleep_for(500ms);
      }
    }
  }

  asio::awaitable<void> attack_once(std::size_t number, bool first) {
    tcp::socket socket{loop_};
    error_code error;
    socket.open(tcp::v4(), error);
    const std::size_t kind = number / addresses_ % kKinds;
    if (kind < 2) socket.set_option(asio::socket_base::receive_buffer_size{4096}, error);
    using LatePort = asio::detail::socket_option::boolean<IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT>;
    socket.set_option(LatePort{true}, error);
    socket.bind({address_of(number), 0}, error);
    co_await socket.async_connect(target_, asio::redirect_error(asio::use_awaitable, error));
    if (first) ++tried_;
    if (error) co_return;
    ++opened_;
    most_open_ = std::max<std::size_t>(most_open_, ++open_);
    co_await asio::async_write(socket, asio::buffer(bytes_[kind]),
                               asio::redirect_error(asio::use_awaitable, error));
    while (running_ && !error) {
      co_await runtime::sleep_for(step_);
      error = kind < 2 ? read_a_little(socket) : write_a_little(socket, kind);
    }
    --open_;
  }

  static error_code read_a_little(tcp::socket& socket) {
    std::array<char, 256> some;
    error_code error;
    socket.non_blocking(true, error);
    socket.read_some(asio::buffer(some), error);
    return error == asio::error::would_block ? error_code{} : error;
  }

  // Fails if the service has closed the connection or has answered.
  static error_code write_a_little(tcp::socket& socket, std::size_t kind) {
    error_code error;
    if (socket.available(error) > 0) return asio::error::eof;
    if (error) return error;
    socket.non_blocking(true, error);
    socket.write_some(asio::buffer(kind == 4 ? std::string_view{"1\r\n \r\n"} : "x"), error);
    return error == asio::error::would_block ? error_code{} : error;
  }

  asio::io_context loop_;
  const tcp::endpoint target_;
  const std::size_t connections_;
  const std::size_t addresses_;
  const std::chrono::seconds step_;
  std::array<std::string, kKinds> bytes_;
  std::atomic<bool> running_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> tried_ = 0;
  std::atomic<std::size_t> open_ = 0;
  std::atomic<std::size_t> opened_ = 0;
  std::atomic<std::size_t> most_open_ = 0;
  std::jthread thread_;
};

// Samples the resident memory of the first process, and keeps the largest value.
class MemoryWatch {
 public:
  explicit MemoryWatch(ProcessPair& pair)
      : thread_{[this, &pair](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            most_ = std::max(most_.load(), pair.memory_bytes(0));
            std::this_thread::sleep_for(50ms);
          }
        }} {}

  std::size_t most() const { return most_; }

 private:
  std::atomic<std::size_t> most_ = 0;
  std::jthread thread_;
};

// Raises this process's limit of open files, which the services inherit. Throws if it is too low.
void need_descriptors(std::size_t count) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < count)
    throw std::runtime_error{std::format("needs {} open files, the hard limit is {} (ulimit -Hn)",
                                         count, limit.rlim_max)};
  if (limit.rlim_cur >= count) return;
  limit.rlim_cur = count;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

struct Outcome {
  bool holds = false;
  std::string figures;
};

Outcome besiege(const Setting& setting, testing::Installation& installation,
                const std::vector<Neighbour>& well_behaved, std::size_t connections,
                std::size_t addresses) {
  ProcessPair pair{installation};
  Neighbours neighbours{pair, well_behaved};
  neighbours.measure(500ms);  // creates the contacts and opens the connections
  Siege siege{pair.life(0), connections, addresses, setting.quick ? 1s : 4s};
  const MemoryWatch memory{pair};
  const NoiseFigures noise = compare_rounds(
      setting, std::format("siege from {} addresses", addresses), neighbours,
      [&](bool on) { siege.run(on); }, setting.quick ? 1s : 24s);
  const NeighbourFigures& besieged = noise.kinds.front();
  const bool judged = judges_times(setting);
  const std::size_t megabytes = memory.most() / 1'000'000;
  const bool small = megabytes <= (setting.quick ? kMostMegabytesQuick : kMostMegabytes);
  const bool steady = besieged.good() && noise.cpu_percent < kMostCpuPercent;
  return {.holds = (small || is_sanitized(setting)) && neighbours.unanswered() == 0 &&
                   pair.alive() && siege.opened() >= connections && (!judged || steady),
          .figures = std::format(
              "from {} {}: {} connections opened, at most {} at once, {} MB of memory, {} "
              "unanswered, p99 {:.1f} → {:.1f} ms at {:.0f} % CPU{}",
              addresses, addresses == 1 ? "address" : "addresses", siege.opened(),
              siege.most_open(), megabytes, neighbours.unanswered(), besieged.quiet_p99_ms,
              besieged.loud_p99_ms, noise.cpu_percent, judged ? "" : ", times not judged")};
}

}  // namespace

Verdict siege(const Setting& setting) {
  const std::size_t connections = setting.quick ? 600 : 10'000;
  const std::size_t addresses = setting.quick ? 100 : 1'000;
  need_descriptors(connections + 1'000);
  testing::Installation installation{setting.checkout, setting.binary};
  // Half of the well-behaved clients use the first process, which is the only one besieged.
  const std::string key = installation.create_unlimited_key("Shop");
  std::vector<Neighbour> well_behaved;
  for (std::size_t i = 0; i < kNeighbours; ++i) well_behaved.push_back({key, i % 2});
  const Outcome one = besiege(setting, installation, well_behaved, connections, 1);
  const Outcome many = besiege(setting, installation, well_behaved, connections, addresses);
  const bool holds = one.holds && many.holds;
  std::string figures =
      std::format("{} hostile connections; {}; {}", connections, one.figures, many.figures);
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs

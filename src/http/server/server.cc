#include "http/server/server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"
#include "observe/log.h"
#include "runtime/wait.h"

namespace shopbell::http {

using asio::ip::tcp;
using boost::system::error_code;
using runtime::Steady;

tcp::acceptor listen(asio::io_context& loop, const tcp::endpoint& endpoint) {
  using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;
  tcp::acceptor acceptor{loop};
  acceptor.open(endpoint.protocol());
  acceptor.set_option(tcp::acceptor::reuse_address{true});
  acceptor.set_option(ReusePort{true});
  acceptor.bind(endpoint);
  acceptor.listen(4096);
  return acceptor;
}

Server::Server(asio::io_context& loop, tcp::acceptor acceptor, Pipeline pipeline,
               observe::Metrics& metrics, ListenerOptions options)
    : loop_{loop},
      acceptor_{std::move(acceptor)},
      pipeline_{std::move(pipeline)},
      options_{std::move(options)},
      open_{metrics.gauge("shopbell_open_connections", "Open client connections.")},
      refused_{metrics.counter("shopbell_refused_connections_total",
                               "Connections closed at once: too many are open.")} {}

Server::~Server() = default;

void Server::start() {
  asio::co_spawn(loop_, accept(), asio::detached);
  asio::co_spawn(loop_, sweep(), asio::detached);
}

asio::awaitable<void> Server::accept() {
  while (acceptor_.is_open()) {
    error_code error;
    tcp::socket socket =
        co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (!error) {
      take(std::move(socket));
    } else if (error != asio::error::operation_aborted) {
      // Probably out of file descriptors: wait, because an immediate retry would only use CPU.
      observe::log(observe::Level::warn, "cannot accept", {{"why", error.message()}});
      co_await runtime::sleep_for(std::chrono::milliseconds{100});
    }
  }
}

void Server::take(tcp::socket socket) {
  std::string peer = peer_of(socket);
  auto counted =
      options_.connections == nullptr ? AddressLimit::Place{} : options_.connections->admit(peer);
  if (!counted || connections_.size() >= limits::kConnectionsPerLoop) {
    refused_.add();
    return;
  }
  const auto place = connections_.insert(
      connections_.end(), make_connection(pipeline_, options_, std::move(socket), std::move(peer)));
  open_.add(1);
  if (drain_until_) (*place)->drain(*drain_until_);
  asio::co_spawn(loop_, (*place)->run(),
                 [this, place, counted = std::move(*counted)](std::exception_ptr) {
                   connections_.erase(place);
                   open_.add(-1);
                 });
}

asio::awaitable<void> Server::sweep() {
  while (true) {
    co_await runtime::sleep_for(limits::kSweepInterval);
    const auto now = Steady::now();
    for (const auto& connection : connections_) connection->check(now);
  }
}

asio::awaitable<void> Server::drain() {
  error_code error;
  acceptor_.non_blocking(true);
  while (true) {
    tcp::socket socket{loop_};
    acceptor_.accept(socket, error);
    if (error) break;
    take(std::move(socket));
  }
  acceptor_.close(error);
  drain_until_ = Steady::now() + limits::kDrainIdle;
  for (const auto& connection : connections_) connection->drain(*drain_until_);
  while (!connections_.empty()) co_await runtime::sleep_for(std::chrono::milliseconds{20});
}

}  // namespace shopbell::http

// Landing: a server that listens on every address of an island, and records which addresses were
// connected to.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace shopbell::proofs {

// Connections to one group of addresses.
struct Landed {
  std::size_t connections = 0;
  std::size_t requests = 0;      // number of complete requests and TLS handshakes
  std::set<std::string> places;  // addresses and ports, such as "10.0.0.5:80"
};

class Landing {
 public:
  // `welcome` lists the addresses that clients may connect to, on ports 80 and 443.
  explicit Landing(std::set<std::string> welcome);
  ~Landing();
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;

  Landed welcome() const;
  Landed intruders() const;

 private:
  using Tcp = boost::asio::ip::tcp;

  void listen(const Tcp::endpoint& place);
  boost::asio::awaitable<void> take_all(Tcp::acceptor acceptor);
  boost::asio::awaitable<void> serve(Tcp::socket socket, Landed& landed);
  Landed& note(const Tcp::endpoint& place);

  const std::set<std::string> hosts_;
  mutable std::mutex mutex_;
  Landed welcome_;
  Landed intruders_;
  boost::asio::io_context loop_;
  std::thread thread_;
};

}  // namespace shopbell::proofs

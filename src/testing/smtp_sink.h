// SmtpSink: an SMTP server for tests. It records every letter that it has accepted, and fails
// wherever the test wants: with any reply, or by closing the connection.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

namespace shopbell::testing {

class SmtpSink {
 public:
  struct Letter {
    std::string from;
    std::string to;
    std::string text;  // without doubled dots
  };

  // Returns the reply to a command, or kCut; nullopt leaves it to the sink. The greeting is asked
  // for as "greeting", the reply to the end of a text as ".". A text is asked for as "text" when
  // its first bytes have arrived; nullopt reads on.
  using Script = std::function<std::optional<std::string>(std::string_view command)>;
  static constexpr std::string_view kCut = "cut";  // closes the connection instead of a reply

  enum class Security : std::uint8_t { none, starttls, implicit };

  // Listens on a free port of 127.0.0.1. With TLS it creates a key and a certificate in the folder.
  explicit SmtpSink(boost::asio::io_context& loop, Security security = Security::none,
                    const std::filesystem::path& folder = {});

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::string certificate() const { return folder_ / "sink.pem"; }

  Script script = [](std::string_view) { return std::nullopt; };
  // The lines after EHLO's first; STARTTLS and AUTH are added.
  std::vector<std::string> offers = {"PIPELINING", "SIZE 100000", "DSN", "SMTPUTF8"};

  const std::vector<Letter>& letters() const { return letters_; }
  const std::vector<std::string>& commands() const { return commands_; }
  int connections() const { return connections_; }
  // How often the sink had to wait for bytes: the round trips of its clients.
  int waits() const { return waits_; }

 private:
  class Dialogue;

  boost::asio::awaitable<void> accept_all();

  boost::asio::io_context& loop_;
  boost::asio::ip::tcp::acceptor acceptor_;
  const Security security_;
  const std::filesystem::path folder_;
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_server};
  std::vector<Letter> letters_;
  std::vector<std::string> commands_;
  int connections_ = 0;
  int waits_ = 0;
};

}  // namespace shopbell::testing

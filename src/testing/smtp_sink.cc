#include "testing/smtp_sink.h"

#include <array>
#include <memory>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "testing/process.h"

namespace shopbell::testing {

namespace asio = boost::asio;
using asio::ip::tcp;

// One connection. An error of the socket ends it.
class SmtpSink::Dialogue {
 public:
  Dialogue(SmtpSink& sink, tcp::socket socket) : sink_{sink}, socket_{std::move(socket)} {
    socket_.set_option(tcp::no_delay{true});
  }

  asio::awaitable<void> run() {
    if (sink_.security_ == Security::implicit) co_await start_tls();
    if (!co_await reply("greeting", "220 sink ESMTP")) co_return;
    while (is_open_) co_await take(co_await read_line());
  }

 private:
  asio::awaitable<void> start_tls() {
    tls_ = std::make_unique<asio::ssl::stream<tcp::socket&>>(socket_, sink_.tls_);
    co_await tls_->async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
  }

  asio::awaitable<void> read_more() {
    ++sink_.waits_;
    std::array<char, 65'536> block;
    const std::size_t size =
        tls_ ? co_await tls_->async_read_some(asio::buffer(block), asio::use_awaitable)
             : co_await socket_.async_read_some(asio::buffer(block), asio::use_awaitable);
    bytes_.append(block.data(), size);
  }

  asio::awaitable<std::string> read_line() {
    std::size_t end = 0;
    while ((end = bytes_.find("\r\n")) == std::string::npos) co_await read_more();
    std::string line = bytes_.substr(0, end);
    bytes_.erase(0, end + 2);
    co_return line;
  }

  void cut() {
    is_open_ = false;
    socket_.close();
  }

  asio::awaitable<bool> reply(std::string_view command, std::string usual) {
    co_return co_await send(sink_.script(command).value_or(std::move(usual)));
  }

  // Returns true if the reply is positive or asks for more.
  asio::awaitable<bool> send(std::string text) {
    if (text == kCut) {
      cut();
      co_return false;
    }
    text += "\r\n";
    if (tls_) {
      co_await asio::async_write(*tls_, asio::buffer(text), asio::use_awaitable);
    } else {
      co_await asio::async_write(socket_, asio::buffer(text), asio::use_awaitable);
    }
    if (text.starts_with("421")) cut();
    co_return text[0] == '2' || text[0] == '3';
  }

  std::string hello() const {
    std::vector<std::string> lines = sink_.offers;
    if (sink_.security_ == Security::starttls && !tls_) lines.emplace_back("STARTTLS");
    if (tls_) lines.emplace_back("AUTH LOGIN PLAIN");
    std::string text = lines.empty() ? "250 sink" : "250-sink";
    for (const std::string& line : lines)
      text += std::string{"\r\n250"} + (&line == &lines.back() ? ' ' : '-') + line;
    return text;
  }

  asio::awaitable<void> take(std::string line) {
    sink_.commands_.push_back(line);
    if (line.starts_with("EHLO ")) {
      co_await reply(line, hello());
    } else if (line == "STARTTLS") {
      if (!co_await reply(line, "220 go ahead")) co_return;
      bytes_.clear();
      co_await start_tls();
    } else if (line.starts_with("AUTH PLAIN ")) {
      co_await reply(line, "235 welcome");
    } else if (line == "AUTH LOGIN") {
      for (const char* question : {"334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6"}) {
        if (!co_await reply("AUTH LOGIN", question)) co_return;
        sink_.commands_.push_back(co_await read_line());
      }
      co_await reply("password", "235 welcome");
    } else if (line.starts_with("MAIL FROM:<")) {
      letter_ = {};
      if (co_await reply(line, "250 2.1.0 sender")) letter_.from = between(line);
    } else if (line.starts_with("RCPT TO:<")) {
      if (letter_.from.empty()) {
        co_await reply("", "503 no sender");
      } else if (co_await reply(line, "250 2.1.5 recipient")) {
        letter_.to = between(line);
      }
    } else if (line == "DATA") {
      const std::string usual = letter_.to.empty() ? "554 no recipient" : "354 send the text";
      if (co_await reply(line, usual)) co_await take_text();
    } else if (line == "RSET") {
      letter_ = {};
      co_await reply(line, "250 reset");
    } else if (line == "QUIT") {
      co_await reply(line, "221 bye");
      if (is_open_) cut();
    } else {
      co_await reply(line, line.starts_with("HELO ") ? "250 sink" : "500 unknown command");
    }
  }

  asio::awaitable<void> take_text() {
    bool is_asked = false;
    while (true) {
      if (bytes_.empty()) co_await read_more();
      if (!std::exchange(is_asked, true) && sink_.script("text") == kCut) co_return cut();
      std::string line = co_await read_line();
      if (line == ".") break;
      letter_.text += line.starts_with('.') ? line.substr(1) : line;
      letter_.text += "\r\n";
    }
    std::string text = sink_.script(".").value_or("250 2.0.0 taken");
    // A sink that hangs up here has taken the letter, and its client cannot know.
    if (text[0] == '2' || text == kCut) sink_.letters_.push_back(letter_);
    letter_ = {};
    co_await send(std::move(text));
  }

  static std::string between(std::string_view line) {
    const std::size_t begin = line.find('<') + 1;
    return std::string{line.substr(begin, line.find('>') - begin)};
  }

  SmtpSink& sink_;
  tcp::socket socket_;
  std::unique_ptr<asio::ssl::stream<tcp::socket&>> tls_;
  std::string bytes_;
  Letter letter_;
  bool is_open_ = true;
};

SmtpSink::SmtpSink(asio::io_context& loop, Security security, const std::filesystem::path& folder)
    : loop_{loop},
      acceptor_{loop, {asio::ip::address_v4::loopback(), 0}},
      security_{security},
      folder_{folder} {
  if (security_ != Security::none) {
    const std::string key = folder_ / "sink.key";
    run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-noenc", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", key, "-out", certificate()});
    tls_.use_certificate_chain_file(certificate());
    tls_.use_private_key_file(key, asio::ssl::context::pem);
  }
  asio::co_spawn(loop_, accept_all(), asio::detached);
}

asio::awaitable<void> SmtpSink::accept_all() {
  while (true) {
    auto dialogue =
        std::make_shared<Dialogue>(*this, co_await acceptor_.async_accept(asio::use_awaitable));
    ++connections_;
    asio::co_spawn(loop_, dialogue->run(), [dialogue](const std::exception_ptr&) {
      // A client that hangs up ends the dialogue with an error.
    });
  }
}

}  // namespace shopbell::testing

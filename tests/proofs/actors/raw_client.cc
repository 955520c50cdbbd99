#include "tests/proofs/actors/raw_client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <stdexcept>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "json/document.h"

namespace shopbell::proofs {

namespace {

using Steady = std::chrono::steady_clock;

sockaddr_in address_of(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
    throw std::runtime_error{"not an address: " + host};
  return address;
}

int milliseconds_to(Steady::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

}  // namespace

std::string Reply::code() const {
  const auto document = json::Document::parse(body);
  if (!document) return {};
  const auto member = document->root().member("code");
  return member && member->type() == json::Type::text ? std::string{member->text()} : "";
}

std::string Reply::brief() const {
  if (late) return "timeout on an open connection";
  if (!answered()) return "connection closed";
  return std::format("{} {} {}", status, code(), body.substr(0, 400));
}

RawClient::RawClient(const HostPort& host_port, const std::string& source)
    : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  if (socket_ < 0) throw std::runtime_error{"no socket"};
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (!source.empty()) {
    const sockaddr_in from = address_of(source, 0);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0)
      throw std::runtime_error{"cannot bind " + source};
  }
  const sockaddr_in to = address_of(host_port.host, std::stoi(host_port.port));
  closed_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0;
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) | O_NONBLOCK);
}

RawClient::~RawClient() {
  if (socket_ >= 0) ::close(socket_);
}

RawClient::RawClient(RawClient&& other) noexcept
    : socket_{std::exchange(other.socket_, -1)},
      closed_{other.closed_},
      close_announced_{other.close_announced_},
      buffer_{std::move(other.buffer_)} {}

RawClient& RawClient::operator=(RawClient&& other) noexcept {
  std::swap(socket_, other.socket_);
  closed_ = other.closed_;
  close_announced_ = other.close_announced_;
  buffer_ = std::move(other.buffer_);
  return *this;
}

void RawClient::read_available() {
  std::array<char, 16384> bytes;
  while (!closed_) {
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    closed_ = got <= 0;
    if (got > 0) buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

void RawClient::send(std::string_view bytes) {
  const auto until = Steady::now() + kPatience;
  while (!bytes.empty() && !closed_ && Steady::now() < until) {
    pollfd ready{.fd = socket_, .events = POLLIN | POLLOUT, .revents = 0};
    ::poll(&ready, 1, milliseconds_to(until));
    if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_available();
    if ((ready.revents & POLLOUT) == 0) continue;
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return;
  }
}

void RawClient::end_sending() { ::shutdown(socket_, SHUT_WR); }

bool RawClient::is_closed() {
  read_available();
  return closed_;
}

RawClient::Fill RawClient::fill(Steady::time_point until) {
  const std::size_t before = buffer_.size();
  while (true) {
    read_available();
    if (buffer_.size() > before) return Fill::bytes;
    if (closed_) return Fill::over;
    pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, milliseconds_to(until)) == 0 && Steady::now() >= until) return Fill::late;
  }
}

Reply RawClient::read(bool bodiless, std::chrono::milliseconds patience) {
  const auto until = Steady::now() + patience;
  Reply reply;
  const auto missing = [&](Fill fill) {
    reply.outcome = testing::Answer::Outcome::cut;
    reply.late = fill == Fill::late;
    return reply;
  };
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (const Fill fill_ = fill(until); fill_ != Fill::bytes) return missing(fill_);
  }
  reply.head = buffer_.substr(0, end + 4);
  if (!reply.head.starts_with("HTTP/1.1 ") || reply.head.size() < 12) return missing(Fill::over);
  reply.status = std::stoi(reply.head.substr(9, 3));
  close_announced_ = close_announced_ || same_name(reply.header("connection"), "close");
  buffer_.erase(0, end + 4);
  std::size_t length = 0;
  const std::string told = reply.header("content-length");
  std::from_chars(told.data(), told.data() + told.size(), length);
  if (bodiless || reply.status < 200 || reply.status == 204 || reply.status == 304) return reply;
  while (buffer_.size() < length) {
    if (const Fill fill_ = fill(until); fill_ != Fill::bytes) return missing(fill_);
  }
  reply.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return reply;
}

std::vector<Reply> RawClient::read_all() {
  std::vector<Reply> replies;
  while (true) {
    Reply reply = read();
    if (reply.cut() && buffer_.empty()) return replies;
    replies.push_back(std::move(reply));
    if (!replies.back().answered()) return replies;
  }
}

RawClient KeptClients::take() {
  const std::scoped_lock lock{mutex_};
  while (!idle_.empty()) {
    RawClient client = std::move(idle_.back());
    idle_.pop_back();
    if (client.usable() && !client.is_closed()) return client;
  }
  return RawClient{host_port_};
}

Reply KeptClients::ask(const Ask& ask) {
  Reply reply = ask_once(ask);
  // If the export queue is full, wait and retry: these proofs do not test that limit.
  for (int i = 0; i < 200 && reply.status == 429 && reply.code() == "export-queue-full"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    reply = ask_once(ask);
  }
  return reply;
}

Reply KeptClients::ask_once(const Ask& ask) {
  RawClient client = take();
  client.send(wire_of(ask));
  Reply reply = client.read(ask.method == "HEAD");
  if (reply.answered() && client.usable()) {
    const std::scoped_lock lock{mutex_};
    idle_.push_back(std::move(client));
  }
  return reply;
}

void KeptClients::close_all() {
  const std::scoped_lock lock{mutex_};
  idle_.clear();
}

std::string wire_of(const Ask& ask) {
  std::string wire = std::format("{} {} HTTP/1.1\r\nHost: test\r\n", ask.method, ask.path);
  bool ends = ask.body.empty() && (ask.method == "GET" || ask.method == "HEAD" ||
                                   ask.method == "DELETE" || ask.method == "OPTIONS");
  for (const auto& [name, value] : ask.headers) {
    wire += std::format("{}: {}\r\n", name, value);
    ends = ends || same_name(name, "content-length") || same_name(name, "transfer-encoding");
  }
  if (!ends) wire += std::format("Content-Length: {}\r\n", ask.body.size());
  return wire + "\r\n" + ask.body;
}

std::string in_chunks(std::string_view body, std::size_t chunk) {
  std::string wire;
  for (; !body.empty(); body.remove_prefix(std::min(chunk, body.size()))) {
    const std::string_view part = body.substr(0, chunk);
    wire += std::format("{:x}\r\n{}\r\n", part.size(), part);
  }
  return wire + "0\r\n\r\n";
}

std::string Addresses::next() {
  const std::uint32_t number = next_.fetch_add(1);
  return std::format("127.{}.{}.{}", 1 + (number >> 16) % 250, (number >> 8) % 256, number % 256);
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 0x20 && c < 0x7f) || (c & 0x80) != 0;
    result += plain ? std::string{c} : std::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (result.size() > 700) {
    result.resize(700);
    result += "…";
  }
  return result;
}

Ask with_header(Ask ask, const std::string& name, const std::string& value) {
  ask = without_header(std::move(ask), name);
  ask.headers.emplace_back(name, value);
  return ask;
}

Ask without_header(Ask ask, std::string_view name) {
  std::erase_if(ask.headers, [&](const auto& header) { return same_name(header.first, name); });
  return ask;
}

}  // namespace shopbell::proofs

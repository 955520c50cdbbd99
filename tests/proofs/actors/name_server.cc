#include "tests/proofs/actors/name_server.h"

#include <cerrno>
#include <optional>
#include <ranges>
#include <stdexcept>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/ip.h"
#include "base/text.h"

namespace shopbell::proofs {

namespace {

constexpr std::size_t kHead = 12;
constexpr std::uint16_t kA = 1;
constexpr std::uint16_t kAlias = 5;
constexpr std::uint16_t kAaaa = 28;

void put(std::string& to, std::uint16_t number) {
  to += static_cast<char>(number >> 8);
  to += static_cast<char>(number & 0xff);
}

std::string encoded(std::string_view name) {
  std::string labels;
  for (const auto part : std::views::split(name, '.')) {
    const std::string_view label{part};
    labels += static_cast<char>(label.size());
    labels += label;
  }
  return labels + '\0';
}

void put_record(std::string& to, const std::string& owner, std::uint16_t type,
                std::string_view data) {
  to += encoded(owner);
  put(to, type);
  put(to, 1);  // record class IN
  put(to, 0);  // upper half of the TTL
  put(to, 0);  // lower half of the TTL
  put(to, static_cast<std::uint16_t>(data.size()));
  to += data;
}

struct Question {
  std::string name;
  std::uint16_t type = 0;
  std::size_t end = 0;
};

std::optional<Question> read_question(const std::string& packet) {
  Question question;
  std::size_t at = kHead;
  while (at < packet.size() && packet[at] != 0) {
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(packet[at]));
    if (!question.name.empty()) question.name += '.';
    question.name += packet.substr(std::min(at + 1, packet.size()), size);
    at += size + 1;
  }
  question.end = at + 5;
  if (question.end > packet.size()) return std::nullopt;
  question.name = lower_ascii(question.name);
  question.type = static_cast<std::uint16_t>(static_cast<unsigned char>(packet[at + 1]) << 8 |
                                             static_cast<unsigned char>(packet[at + 2]));
  return question;
}

}  // namespace

NameServer::NameServer() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(53);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{.tv_sec = 0, .tv_usec = 100'000};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0)
    throw std::runtime_error{"cannot bind port 53"};
  thread_ = std::thread{[this] { serve(); }};
}

NameServer::~NameServer() {
  stopping_ = true;
  thread_.join();
  ::close(socket_);
}

void NameServer::tell(const std::string& name, std::vector<Records> turns) {
  const std::lock_guard lock{mutex_};
  turns_[name] = std::move(turns);
  asked_.erase({name, kA});
  asked_.erase({name, kAaaa});
}

void NameServer::serve() {
  std::string packet(512, '\0');
  while (!stopping_) {
    sockaddr_in client{};
    socklen_t size = sizeof client;
    auto* const from = reinterpret_cast<sockaddr*>(&client);
    const ssize_t bytes = ::recvfrom(socket_, packet.data(), packet.size(), 0, from, &size);
    if (bytes < static_cast<ssize_t>(kHead)) continue;
    const std::string reply = answer(packet.substr(0, static_cast<std::size_t>(bytes)));
    ::sendto(socket_, reply.data(), reply.size(), 0, from, size);
  }
}

NameServer::Records NameServer::next(const std::string& name, std::uint16_t type) {
  const std::lock_guard lock{mutex_};
  const auto found = turns_.find(name);
  if (found == turns_.end()) return {};
  const std::size_t turn = asked_[{name, type}]++;
  return found->second[std::min(turn, found->second.size() - 1)];
}

std::string NameServer::answer(const std::string& packet) {
  const auto question = read_question(packet);
  if (!question) return {};
  ++questions_;
  std::string owner = question->name;
  std::string records;
  std::uint16_t count = 0;
  const Records told = next(question->name, question->type);
  for (const auto& record : told) {
    if (record.starts_with('=')) {
      put_record(records, owner, kAlias, encoded(record.substr(1)));
      owner = record.substr(1);
    } else {
      const auto address = Ip::parse(record).value();
      if ((address.is_v4() ? kA : kAaaa) != question->type) continue;
      const auto bytes = address.bytes();
      put_record(records, owner, question->type, std::string{bytes.begin(), bytes.end()});
    }
    ++count;
  }
  std::string reply = packet.substr(0, 2);
  // Flags: authoritative answer, with NXDOMAIN or NOERROR.
  put(reply, told.empty() ? 0x8583 : 0x8580);
  put(reply, 1);
  put(reply, count);
  put(reply, 0);
  put(reply, 0);
  return reply + packet.substr(kHead, question->end - kHead) + records;
}

}  // namespace shopbell::proofs

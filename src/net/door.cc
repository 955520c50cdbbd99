#include "net/door.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>

namespace shopbell::net {

namespace {

struct Endpoint {
  Ip address;
  std::uint16_t port;
};

// Copied, since libcurl's structure names only the beginning of what it holds.
template <class Socket>
Socket copy_of(const curl_sockaddr& address) {
  Socket socket{};
  const void* const start = &address.addr;
  std::memcpy(&socket, start, std::min<std::size_t>(sizeof socket, address.addrlen));
  return socket;
}

std::optional<Endpoint> endpoint_of(const curl_sockaddr& address) {
  if (address.family == AF_INET) {
    const auto v4 = copy_of<sockaddr_in>(address);
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
    return Endpoint{Ip::v4(bytes), ntohs(v4.sin_port)};
  }
  if (address.family == AF_INET6) {
    const auto v6 = copy_of<sockaddr_in6>(address);
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return Endpoint{Ip::v6(bytes), ntohs(v6.sin6_port)};
  }
  return std::nullopt;
}

}  // namespace

Door::Door(OutsideTarget target) : target_(std::move(target)), looks_(!target_.is_settled()) {}

void Door::guard(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &Door::on_open);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &Door::on_connected);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
}

bool Door::opens() { return std::exchange(looks_, false) && !forbidden_ && !seen_.empty(); }

bool Door::lets_through(const curl_sockaddr& address) {
  const auto endpoint = endpoint_of(address);
  if (!endpoint || !target_.allows(endpoint->address, endpoint->port)) forbidden_ = true;
  if (forbidden_) return false;
  if (looks_) seen_.push_back(endpoint->address);
  // A name that left libcurl's cache in between was resolved again: another look, another time.
  return !looks_ && (target_.is_settled() || std::ranges::contains(seen_, endpoint->address));
}

curl_socket_t Door::on_open(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
  if (!static_cast<Door*>(self)->lets_through(*address)) return CURL_SOCKET_BAD;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Before the request is sent, on a new connection or on one kept from another request.
int Door::on_connected(void* self, char* peer, char* /*local*/, int peer_port, int /*local_port*/) {
  auto& it = *static_cast<Door*>(self);
  const auto address = Ip::parse(peer == nullptr ? "" : peer);
  if (!address || !it.target_.allows(*address, static_cast<std::uint16_t>(peer_port)))
    it.forbidden_ = true;
  return it.forbidden_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

}  // namespace shopbell::net

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

// Copied, because curl_sockaddr declares only the first bytes of the address.
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

Door::Door(OutsideTarget target) : target_(std::move(target)), probing_(!target_.is_settled()) {}

void Door::guard(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &Door::on_open);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &Door::on_connected);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
}

bool Door::can_retry() {
  return std::exchange(probing_, false) && !forbidden_ && !approved_.empty();
}

bool Door::permits(const curl_sockaddr& address) {
  const auto endpoint = endpoint_of(address);
  if (!endpoint || !target_.allows(endpoint->address, endpoint->port)) forbidden_ = true;
  if (forbidden_) return false;
  if (probing_) approved_.push_back(endpoint->address);
  // A name that expired from libcurl's cache was resolved again: refuse addresses not yet checked.
  return !probing_ && (target_.is_settled() || std::ranges::contains(approved_, endpoint->address));
}

curl_socket_t Door::on_open(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
  if (!static_cast<Door*>(self)->permits(*address)) return CURL_SOCKET_BAD;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Called before the request is sent, on a new or a reused connection.
int Door::on_connected(void* self, char* peer, char* /*local*/, int peer_port, int /*local_port*/) {
  auto& it = *static_cast<Door*>(self);
  const auto address = Ip::parse(peer == nullptr ? "" : peer);
  if (!address || !it.target_.allows(*address, static_cast<std::uint16_t>(peer_port)))
    it.forbidden_ = true;
  return it.forbidden_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

}  // namespace shopbell::net

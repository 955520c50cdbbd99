// Door: guards a request to a URL that a store supplied, at the point where libcurl opens sockets.
//
// Checking a name's addresses before connecting to the name would allow DNS rebinding: the owner of
// the name could change them in between. So libcurl asks the door for every socket, with the very
// address to connect to, and gets none without its consent. A name with any private address is
// refused as a whole, in whatever order libcurl tries its addresses. For that, the first attempt
// refuses every socket, upon which libcurl offers all addresses of the name. If all are allowed, a
// second attempt may connect to those alone. libcurl resolves names on its own threads and caches
// them, so the loop never blocks and a name is not resolved twice.
#pragma once

#include <vector>

#include <curl/curl.h>

#include "net/outside.h"

namespace shopbell::net {

class Door {
 public:
  explicit Door(OutsideTarget target);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  // The door must outlive the transfers of the handle.
  void guard(CURL* easy);

  // Call it after a failed connect. True if that was the first attempt and every address is
  // allowed.
  bool can_retry();

  // True once an address was refused.
  bool is_forbidden() const { return forbidden_; }

 private:
  static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_connected(void* self, char* peer, char* local, int peer_port, int local_port);
  bool permits(const curl_sockaddr& address);

  const OutsideTarget target_;
  bool probing_;              // first attempt: collect all addresses, permit none
  std::vector<Ip> approved_;  // addresses that the first attempt collected, all allowed
  bool forbidden_ = false;
};

}  // namespace shopbell::net

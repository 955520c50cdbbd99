// Door: what a request to a store's address has to pass on its way out through libcurl.
//
// Judging a name's addresses and then connecting to the name would leave the moment in between to
// whoever owns the name. So the door is where libcurl opens sockets: it is asked with the very
// address that will be connected to, and without its consent there is no socket. That alone keeps
// every connection outside. A name with an address inside among others is refused as a whole,
// wherever libcurl would have begun: the first time every socket is refused, upon which libcurl
// offers all the addresses it knows of the name, one after the other. When all of them are fine it
// is let go a second time, to those alone. The names are resolved by libcurl's own threads and kept
// in its cache, so the loop never waits and nothing is asked twice.
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

  // After libcurl could not connect: whether it can now, because that was only the first time.
  bool opens();

  // An address was refused.
  bool is_forbidden() const { return forbidden_; }

 private:
  static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_connected(void* self, char* peer, char* local, int peer_port, int local_port);
  bool lets_through(const curl_sockaddr& address);

  const OutsideTarget target_;
  bool looks_;            // at all addresses, instead of letting any through
  std::vector<Ip> seen_;  // by that, and found fine
  bool forbidden_ = false;
};

}  // namespace shopbell::net

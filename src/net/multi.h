// Multi: runs libcurl's transfers on one Asio loop. libcurl names the sockets and the timeout to
// wait for; the loop calls it when a socket is ready or the timeout has passed.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <curl/curl.h>

namespace shopbell::net {

namespace asio = boost::asio;

// The owner of a transfer. done() is called once, when the transfer is over.
class Transfer {
 public:
  virtual void done(CURLcode code) = 0;

 protected:
  ~Transfer() = default;
};

class Multi : public std::enable_shared_from_this<Multi> {
 public:
  Multi(asio::io_context& loop, std::size_t connections);
  ~Multi();
  Multi(const Multi&) = delete;
  Multi& operator=(const Multi&) = delete;

  // The handle's CURLOPT_PRIVATE must be its Transfer.
  void add(CURL* easy);
  void remove(CURL* easy);
  // Resumes a paused transfer. Never call it inside one of its callbacks.
  void resume(CURL* easy);

 private:
  struct Watch;

  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* watch);
  static int on_timer(CURLM* multi, long milliseconds, void* self);
  bool watch(curl_socket_t socket, int what);
  void wait(const std::shared_ptr<Watch>& watch, asio::posix::descriptor_base::wait_type type);
  void act(curl_socket_t socket, int events);

  asio::io_context& loop_;
  asio::steady_timer timer_;
  std::map<curl_socket_t, std::shared_ptr<Watch>> watches_;
  CURLM* multi_;
};

}  // namespace shopbell::net

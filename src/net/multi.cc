#include "net/multi.h"

#include <new>

#include <unistd.h>

namespace shopbell::net {

namespace {

CURLM* make_multi() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM* multi = ready == CURLE_OK ? curl_multi_init() : nullptr;
  if (multi == nullptr) throw std::bad_alloc{};
  return multi;
}

}  // namespace

// A socket of libcurl, watched through a duplicate: libcurl may close its own at any time.
struct Multi::Watch {
  curl_socket_t socket;
  asio::posix::stream_descriptor duplicate;
  int wanted = 0;
  bool reading = false;
  bool writing = false;
};

Multi::Multi(asio::io_context& loop, std::size_t connections)
    : loop_(loop), timer_(loop), multi_(make_multi()) {
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Multi::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Multi::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(connections));
}

Multi::~Multi() {
  // Closes idle connections without calling back into the loop.
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
  curl_multi_cleanup(multi_);
}

void Multi::add(CURL* easy) {
  if (curl_multi_add_handle(multi_, easy) != CURLM_OK) throw std::bad_alloc{};
}

void Multi::remove(CURL* easy) { curl_multi_remove_handle(multi_, easy); }

void Multi::resume(CURL* easy) {
  curl_easy_pause(easy, CURLPAUSE_CONT);
  act(CURL_SOCKET_TIMEOUT, 0);
}

int Multi::on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* /*watch*/) {
  return static_cast<Multi*>(self)->watch(socket, what) ? 0 : -1;
}

int Multi::on_timer(CURLM* /*multi*/, long milliseconds, void* self) {
  auto& multi = *static_cast<Multi*>(self);
  if (milliseconds < 0) {
    multi.timer_.cancel();
    return 0;
  }
  // The timer defers even a timeout of 0: libcurl must not be called from its own callback.
  multi.timer_.expires_after(std::chrono::milliseconds{milliseconds});
  multi.timer_.async_wait([weak = multi.weak_from_this()](boost::system::error_code error) {
    const auto alive = weak.lock();
    if (alive && !error) alive->act(CURL_SOCKET_TIMEOUT, 0);
  });
  return 0;
}

// False when the process is out of file descriptors: libcurl then fails its transfers.
bool Multi::watch(curl_socket_t socket, int what) {
  if (what == CURL_POLL_REMOVE) {
    const auto found = watches_.find(socket);
    if (found == watches_.end()) return true;
    found->second->wanted = 0;
    found->second->duplicate.close();
    watches_.erase(found);
    return true;
  }
  auto& watch = watches_[socket];
  if (!watch) {
    watch = std::make_shared<Watch>(Watch{socket, asio::posix::stream_descriptor{loop_}});
    boost::system::error_code error;
    watch->duplicate.assign(::dup(socket), error);
    if (error) return false;
  }
  watch->wanted = what;
  using enum asio::posix::descriptor_base::wait_type;
  if ((what & CURL_POLL_IN) != 0 && !watch->reading) wait(watch, wait_read);
  if ((what & CURL_POLL_OUT) != 0 && !watch->writing) wait(watch, wait_write);
  return true;
}

void Multi::wait(const std::shared_ptr<Watch>& watch,
                 asio::posix::descriptor_base::wait_type type) {
  const bool reads = type == asio::posix::descriptor_base::wait_read;
  (reads ? watch->reading : watch->writing) = true;
  watch->duplicate.async_wait(
      type, [weak = weak_from_this(), watch, type, reads](boost::system::error_code error) {
        (reads ? watch->reading : watch->writing) = false;
        const auto alive = weak.lock();
        const int kind = reads ? CURL_POLL_IN : CURL_POLL_OUT;
        if (!alive || (watch->wanted & kind) == 0) return;
        const int ready = reads ? CURL_CSELECT_IN : CURL_CSELECT_OUT;
        alive->act(watch->socket, error ? CURL_CSELECT_ERR : ready);
        // libcurl may wait for other events now, or may have started this wait again already.
        const bool waits = reads ? watch->reading : watch->writing;
        if (!error && (watch->wanted & kind) != 0 && !waits) alive->wait(watch, type);
      });
}

void Multi::act(curl_socket_t socket, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, socket, events, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    transfer->done(message->data.result);
  }
}

}  // namespace shopbell::net

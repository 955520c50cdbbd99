// Exchange: one request and its answer. It connects libcurl's callbacks with a coroutine that
// supplies and consumes pieces of the bodies; the transfer pauses while there are none.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/door.h"
#include "net/http_client.h"
#include "net/multi.h"

namespace shopbell::net {

class Exchange final : public Transfer {
 public:
  Exchange(asio::io_context& loop, std::shared_ptr<Multi> multi, Request request, Sink sink,
           const std::string& ca_file, std::optional<OutsideTarget> target);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  asio::awaitable<std::expected<Answer, Trouble>> run();

  void done(CURLcode code) override;

 private:
  static std::size_t on_read(char* to, std::size_t size, std::size_t count, void* self);
  static std::size_t on_write(char* from, std::size_t size, std::size_t count, void* self);
  static std::size_t on_header(char* from, std::size_t size, std::size_t count, void* self);
  static int on_seek(void* self, curl_off_t offset, int origin);
  asio::awaitable<void> transfer();
  asio::awaitable<void> wait();
  bool can_start_over();
  void start_over();
  void set_up(const std::string& ca_file);
  void set_up_body();
  void set_up_headers();
  Trouble trouble() const;

  struct FreeCurl {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  const std::shared_ptr<Multi> multi_;
  Request request_;
  Sink sink_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::optional<Door> door_;  // set if the request may only reach what OutsideRules allow
  asio::steady_timer bell_;   // never expires; cancelling it wakes the coroutine
  std::unique_ptr<curl_slist, FreeCurl> headers_;
  std::unique_ptr<CURL, FreeCurl> easy_;

  std::string outgoing_;
  std::size_t sent_ = 0;  // bytes of outgoing_ already sent
  bool source_ended_ = false;
  bool wants_piece_ = false;
  std::string incoming_;           // received bytes for the sink
  bool receiving_paused_ = false;  // paused until the sink has taken incoming_
  std::uint64_t received_ = 0;
  bool too_large_ = false;
  Answer answer_;
  std::optional<CURLcode> result_;
};

}  // namespace shopbell::net

#include "net/exchange.h"

#include <algorithm>
#include <format>
#include <new>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/text.h"

namespace shopbell::net {

Exchange::Exchange(asio::io_context& loop, std::shared_ptr<Multi> multi, Request request, Sink sink,
                   const std::string& ca_file, std::optional<OutsideTarget> target)
    : multi_(std::move(multi)),
      request_(std::move(request)),
      sink_(std::move(sink)),
      bell_(loop),
      easy_(curl_easy_init()) {
  if (!easy_) throw std::bad_alloc{};
  set_up(ca_file);
  if (target) door_.emplace(*std::move(target)).guard(easy_.get());
  set_up_body();
  set_up_headers();
  multi_->add(easy_.get());
}

// Aborts a transfer that is in flight.
Exchange::~Exchange() { multi_->remove(easy_.get()); }

void Exchange::set_up(const std::string& ca_file) {
  CURL* const easy = easy_.get();
  const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
  set(CURLOPT_PRIVATE, static_cast<Transfer*>(this));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // never block the loop on a name that is still being resolved
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_USERAGENT, "Shopbell");
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!ca_file.empty()) {
    set(CURLOPT_CAINFO, ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(request_.time_limit.count()));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits::kOutboundConnectTime.count()));
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(limits::kOutboundStall.count()));
  set(CURLOPT_WRITEFUNCTION, &Exchange::on_write);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_HEADERFUNCTION, &Exchange::on_header);
  set(CURLOPT_HEADERDATA, this);
}

void Exchange::set_up_body() {
  CURL* const easy = easy_.get();
  outgoing_ = std::move(request_.body);
  source_ended_ = !request_.source;
  const std::uint64_t bytes = request_.source ? request_.source_bytes : outgoing_.size();
  if (request_.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (bytes != 0 || (request_.method != "GET" && request_.method != "DELETE")) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(bytes));
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, &Exchange::on_read);
    curl_easy_setopt(easy, CURLOPT_READDATA, this);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &Exchange::on_seek);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, this);
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

void Exchange::set_up_headers() {
  const auto append = [&](const std::string& line) {
    curl_slist* const longer = curl_slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc{};
    headers_.release();  // NOLINT(bugprone-unused-return-value): `longer` is the same list
    headers_.reset(longer);
  };
  append("Expect:");  // no 100-continue: a server that refuses the body says so in its answer
  for (const auto& [name, value] : request_.headers) {
    append(value.empty() ? name + ";" : std::format("{}: {}", name, value));
  }
  curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, headers_.get());
}

asio::awaitable<std::expected<Answer, Trouble>> Exchange::run() {
  co_await transfer();
  if (can_start_over()) {
    start_over();
    co_await transfer();
  }
  if (*result_ != CURLE_OK) co_return std::unexpected{trouble()};
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  answer_.status = static_cast<int>(status);
  co_return std::move(answer_);
}

// Returns when libcurl has finished the transfer.
asio::awaitable<void> Exchange::transfer() {
  while (true) {
    if (wants_piece_ && !result_) {
      outgoing_ = co_await request_.source();
      sent_ = 0;
      source_ended_ = outgoing_.empty();
      wants_piece_ = false;
      if (!result_) multi_->resume(easy_.get());
    } else if (!incoming_.empty()) {
      co_await sink_(std::exchange(incoming_, {}));
      if (std::exchange(receiving_paused_, false) && !result_) multi_->resume(easy_.get());
    } else if (result_) {
      break;
    } else {
      co_await wait();
    }
  }
}

// A source supplies each piece once: a piece lost with a broken reused connection is gone.
bool Exchange::can_start_over() {
  return *result_ == CURLE_COULDNT_CONNECT && door_ && door_->can_retry() &&
         (!request_.source || outgoing_.empty());
}

void Exchange::start_over() {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const auto passed = duration_cast<milliseconds>(std::chrono::steady_clock::now() - started_);
  const auto left = std::max(request_.time_limit - passed, milliseconds{1});
  multi_->remove(easy_.get());
  result_.reset();
  sent_ = 0;
  curl_easy_setopt(easy_.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
  multi_->add(easy_.get());
}

asio::awaitable<void> Exchange::wait() {
  bell_.expires_at(asio::steady_timer::time_point::max());
  boost::system::error_code ignored;
  co_await bell_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void Exchange::done(CURLcode code) {
  result_ = code;
  bell_.cancel();
}

std::size_t Exchange::on_read(char* to, std::size_t size, std::size_t count, void* self) {
  auto& it = *static_cast<Exchange*>(self);
  const std::size_t bytes = std::min(size * count, it.outgoing_.size() - it.sent_);
  if (bytes == 0 && !it.source_ended_) {
    it.wants_piece_ = true;
    it.bell_.cancel();
    return CURL_READFUNC_PAUSE;
  }
  std::copy_n(it.outgoing_.data() + it.sent_, bytes, to);
  it.sent_ += bytes;
  return bytes;
}

// libcurl starts over when a reused connection turns out to be closed before any answer.
int Exchange::on_seek(void* self, curl_off_t offset, int origin) {
  auto& it = *static_cast<Exchange*>(self);
  if (it.request_.source || origin != SEEK_SET || offset < 0 ||
      static_cast<std::size_t>(offset) > it.outgoing_.size()) {
    return CURL_SEEKFUNC_FAIL;
  }
  it.sent_ = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

std::size_t Exchange::on_write(char* from, std::size_t size, std::size_t count, void* self) {
  auto& it = *static_cast<Exchange*>(self);
  const std::size_t bytes = size * count;
  if (it.incoming_.size() >= limits::kOutboundPieceBytes) {
    it.receiving_paused_ = true;
    return CURL_WRITEFUNC_PAUSE;  // libcurl offers the same bytes again
  }
  it.too_large_ = bytes > it.request_.answer_bytes_max - it.received_;
  if (it.too_large_) return CURL_WRITEFUNC_ERROR;
  it.received_ += bytes;
  (it.sink_ ? it.incoming_ : it.answer_.body).append(from, bytes);
  if (it.sink_) it.bell_.cancel();
  return bytes;
}

std::size_t Exchange::on_header(char* from, std::size_t size, std::size_t count, void* self) {
  auto& it = *static_cast<Exchange*>(self);
  std::string_view line{from, size * count};
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t colon = line.find(':');
  if (line.starts_with("HTTP/")) {
    it.answer_.headers.clear();  // an interim response precedes the final one
  } else if (colon != line.npos) {
    it.answer_.headers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
  }
  return size * count;
}

Trouble Exchange::trouble() const {
  const auto is = [&](std::initializer_list<CURLcode> codes) {
    return std::ranges::contains(codes, *result_);
  };
  Failure failure = Failure::lost;
  if (door_ && door_->is_forbidden())
    return {Failure::forbidden, "The host resolves to an address that is not public."};
  if (too_large_) {
    failure = Failure::too_large;
  } else if (is({CURLE_URL_MALFORMAT})) {
    failure = Failure::malformed_request;
  } else if (is({CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT})) {
    failure = Failure::unreachable;
  } else if (is({CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
                 CURLE_SSL_ISSUER_ERROR})) {
    failure = Failure::untrusted;
  } else if (is({CURLE_OPERATION_TIMEDOUT})) {
    failure = Failure::timeout;
  } else if (is({CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_TOO_LARGE,
                 CURLE_BAD_CONTENT_ENCODING})) {
    failure = Failure::malformed;
  }
  return {failure, curl_easy_strerror(*result_)};
}

}  // namespace shopbell::net

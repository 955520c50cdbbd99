#include "http/server/tls.h"

#include <cerrno>
#include <cstring>
#include <format>
#include <fstream>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/time.h"
#include "observe/log.h"
#include "runtime/wait.h"

namespace shopbell::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::string_view kProtocols = "\x08http/1.1";  // ALPN: names with length prefixes

// The reason of the first error in OpenSSL's queue, which is closest to the cause.
std::string openssl_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  return reason == nullptr ? "OpenSSL gave no reason" : reason;
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned int offered_size, void*) {
  unsigned char* common = nullptr;
  const auto* ours = reinterpret_cast<const unsigned char*>(kProtocols.data());
  const int result =
      SSL_select_next_proto(&common, size, ours, kProtocols.size(), offered, offered_size);
  *chosen = common;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// Without this callback OpenSSL would ask for a password on the terminal, and the start would hang.
int no_password(char*, int, int, void*) { return -1; }

void set_options(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  // Clients resume with session tickets. A session cache would be shared by all loops and need a
  // lock.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context, no_password);
}

void require_readable(std::string_view what, const std::filesystem::path& file) {
  errno = 0;
  if (std::ifstream{file}.get() != std::ifstream::traits_type::eof()) return;
  const char* why = errno == 0 ? "it is empty" : std::strerror(errno);
  throw TlsError{std::format("the {} {} cannot be read: {}", what, file.string(), why)};
}

std::shared_ptr<SSL_CTX> load_context(const std::filesystem::path& certificate,
                                      const std::filesystem::path& key) {
  require_readable("TLS certificate", certificate);
  require_readable("TLS key", key);
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> context{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
  if (!context) throw TlsError{std::format("TLS cannot be used: {}", openssl_reason())};
  set_options(context.get());
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
    throw TlsError{std::format("the TLS certificate {} cannot be used: {}", certificate.string(),
                               openssl_reason())};
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    throw TlsError{
        std::format("the TLS key {} cannot be used: {}", key.string(), openssl_reason())};
  }
  return context;
}

Instant instant_of(const ASN1_TIME* time) {
  std::tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return Instant{std::chrono::seconds{::timegm(&parts)}};
}

Instant end_of(SSL_CTX* context) {
  return instant_of(X509_get0_notAfter(SSL_CTX_get0_certificate(context)));
}

void log_loaded(SSL_CTX* context, const std::filesystem::path& certificate) {
  const Instant end = end_of(context);
  const bool over = end < system_clock().now();
  observe::log(over ? observe::Level::warn : observe::Level::info,
               over ? "certificate expired" : "certificate loaded",
               {{"file", certificate.string()}, {"until", to_rfc3339(end)}});
}

// A BIO on an Asio socket. OpenSSL's own socket BIO would raise SIGPIPE. It would also keep using
// the descriptor of a closed socket, which may belong to another connection by then.
int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const int descriptor = static_cast<tcp::socket*>(BIO_get_data(bio))->native_handle();
  const auto sent = ::send(descriptor, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int bio_read(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const int descriptor = static_cast<tcp::socket*>(BIO_get_data(bio))->native_handle();
  const auto received = ::recv(descriptor, bytes, static_cast<std::size_t>(size), 0);
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(received);
}

long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* socket_bio() {
  static const std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> method = [] {
    std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> made{
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "Asio socket"), BIO_meth_free};
    BIO_meth_set_write(made.get(), bio_write);
    BIO_meth_set_read(made.get(), bio_read);
    BIO_meth_set_ctrl(made.get(), bio_control);
    return made;
  }();
  return method.get();
}

}  // namespace

CertificateDates read_certificate(const std::filesystem::path& certificate,
                                  const std::filesystem::path& key) {
  const auto context = load_context(certificate, key);
  const X509* own = SSL_CTX_get0_certificate(context.get());
  return {.begins = instant_of(X509_get0_notBefore(own)), .ends = end_of(context.get())};
}

Tls::Tls(std::filesystem::path certificate, std::filesystem::path key)
    : certificate_{std::move(certificate)}, key_{std::move(key)} {
  load();
}

std::shared_ptr<SSL_CTX> Tls::context() const {
  const std::scoped_lock lock{mutex_};
  return context_;
}

Tls::Stamps Tls::stamps() const {
  const auto stamp = [](const std::filesystem::path& file) -> Stamp {
    struct stat found{};
    if (::stat(file.c_str(), &found) != 0) return {};
    return {static_cast<std::int64_t>(found.st_ino), found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
            found.st_size};
  };
  return {stamp(certificate_), stamp(key_)};
}

void Tls::load() {
  tried_ = seen_ = stamps();
  auto fresh = load_context(certificate_, key_);
  log_loaded(fresh.get(), certificate_);
  const std::scoped_lock lock{mutex_};
  context_.swap(fresh);
}

void Tls::reload() {
  try {
    load();
  } catch (const TlsError& error) {
    observe::log(observe::Level::error, "certificate not loaded", {{"why", error.what()}});
  }
}

void Tls::check_files() {
  const Stamps now = stamps();
  const bool rested = now == std::exchange(seen_, now);
  if (now != tried_ && rested) reload();
}

asio::awaitable<void> Tls::watch() {
  while (true) {
    co_await runtime::sleep_for(limits::kCertificateCheck);
    check_files();
  }
}

TlsStream::TlsStream(tcp::socket socket, const Tls& tls)
    : socket_{std::move(socket)}, ssl_{SSL_new(tls.context().get()), SSL_free} {
  BIO* bio = BIO_new(socket_bio());
  if (!ssl_ || bio == nullptr) throw std::bad_alloc{};
  BIO_set_data(bio, &socket_);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_accept_state(ssl_.get());
  error_code ignored;
  socket_.native_non_blocking(true, ignored);
}

TlsStream::~TlsStream() = default;

// Repeats `operation` until it succeeds or fails, waiting for the socket in between.
template <class Operation>
asio::awaitable<TlsStream::Outcome> TlsStream::perform(Operation operation, error_code& error) {
  Outcome outcome;
  while (true) {
    ERR_clear_error();
    const int result = operation(ssl_.get(), outcome.bytes);
    if (result == 1) co_return outcome;
    const int why = SSL_get_error(ssl_.get(), result);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
      broken_ = why != SSL_ERROR_ZERO_RETURN;
      error = broken_ ? error_code{asio::error::connection_aborted} : asio::error::eof;
      co_return Outcome{};
    }
    const auto kind = why == SSL_ERROR_WANT_READ ? tcp::socket::wait_read : tcp::socket::wait_write;
    co_await socket_.async_wait(kind, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return Outcome{};
    outcome.waited = true;
  }
}

asio::awaitable<TlsStream::Handshake> TlsStream::handshake() {
  error_code error;
  co_await perform([](SSL* ssl, std::size_t&) { return SSL_do_handshake(ssl); }, error);
  if (!error) co_return Handshake::done;
  if (!broken_) co_return Handshake::failed;  // the timeout check closed the connection
  if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) co_return Handshake::plain_http;
  observe::log(observe::Level::debug, "handshake failed", {{"why", openssl_reason()}});
  co_return Handshake::failed;
}

asio::awaitable<std::size_t> TlsStream::read_some(asio::mutable_buffer buffer, error_code& error) {
  const Outcome outcome = co_await perform(
      [buffer](SSL* ssl, std::size_t& bytes) {
        return SSL_read_ex(ssl, buffer.data(), buffer.size(), &bytes);
      },
      error);
  // Yield to the loop, so that a client that always has data does not starve the others.
  if (!error && !outcome.waited) co_await asio::post(socket_.get_executor(), asio::use_awaitable);
  co_return outcome.bytes;
}

asio::awaitable<void> TlsStream::write(asio::const_buffer bytes, error_code& error) {
  co_await perform(
      [bytes](SSL* ssl, std::size_t& written) {
        return SSL_write_ex(ssl, bytes.data(), bytes.size(), &written);
      },
      error);
}

void TlsStream::send_close_notify() {
  if (broken_ || SSL_is_init_finished(ssl_.get()) == 0) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
}

}  // namespace shopbell::http

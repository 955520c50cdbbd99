// TLS on the public listener: the certificate and key, from two PEM files that are reloaded when
// they change, and the stream of a connection. OpenSSL reads and writes the socket directly, so an
// idle connection needs a few kilobytes and nothing is copied in between.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/time.h"

struct ssl_ctx_st;
struct ssl_st;

namespace shopbell::http {

// Explains why a certificate or key cannot be used, with the file name.
class TlsError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The validity period of a certificate. Checks both files as at service start. Throws
// TlsError if they cannot be used.
struct CertificateDates {
  Instant begins;
  Instant ends;
};
CertificateDates read_certificate(const std::filesystem::path& certificate,
                                  const std::filesystem::path& key);

// Shared by all loops: each new connection takes the current context and keeps it.
class Tls {
 public:
  // Throws TlsError.
  Tls(std::filesystem::path certificate, std::filesystem::path key);

  // May be called from any thread.
  std::shared_ptr<ssl_ctx_st> context() const;

  // Call it from one thread. Reads the files; if they cannot be used, logs that and keeps the old
  // context.
  void reload();
  // Reloads changed files once both are unchanged between two checks, so that a certificate is not
  // read before its key is replaced too.
  void check_files();
  // Checks the files every `limits::kCertificateCheck`, forever.
  boost::asio::awaitable<void> watch();

 private:
  // Inode, modification time and size of a file; any change triggers a reload.
  using Stamp = std::array<std::int64_t, 4>;
  using Stamps = std::array<Stamp, 2>;

  Stamps stamps() const;
  void load();

  const std::filesystem::path certificate_;
  const std::filesystem::path key_;
  Stamps tried_{};  // stamps at the last load
  Stamps seen_{};   // stamps at the last check
  mutable std::mutex mutex_;
  std::shared_ptr<ssl_ctx_st> context_;
};

class TlsStream {
 public:
  TlsStream(boost::asio::ip::tcp::socket socket, const Tls& tls);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  boost::asio::ip::tcp::socket& socket() { return socket_; }

  enum class Handshake { done, failed, plain_http };
  boost::asio::awaitable<Handshake> handshake();
  boost::asio::awaitable<std::size_t> read_some(boost::asio::mutable_buffer buffer,
                                                boost::system::error_code& error);
  boost::asio::awaitable<void> write(boost::asio::const_buffer bytes,
                                     boost::system::error_code& error);
  // Sends TLS close_notify, if that does not block and no write is in progress.
  void send_close_notify();

 private:
  struct Outcome {
    std::size_t bytes = 0;
    bool waited = false;
  };
  template <class Operation>
  boost::asio::awaitable<Outcome> perform(Operation operation, boost::system::error_code& error);

  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  bool broken_ = false;  // fatal error: OpenSSL must not be called any more
};

}  // namespace shopbell::http

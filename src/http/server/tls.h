// TLS on the public listener: the certificate with its key, from two PEM files that are read again
// when they change, and the stream a connection reads and writes through. OpenSSL works on the
// socket itself, so an idle connection costs a few kilobytes and nothing is copied in between.
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

// Why a certificate or its key cannot be used, with the file's name.
class TlsError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Between when a certificate counts. The two files are read as a start reads them: throws TlsError
// when they cannot be used.
struct CertificateDates {
  Instant begins;
  Instant ends;
};
CertificateDates read_certificate(const std::filesystem::path& certificate,
                                  const std::filesystem::path& key);

// Shared by all loops: each new connection asks for the context of the moment and keeps it.
class Tls {
 public:
  // Throws TlsError.
  Tls(std::filesystem::path certificate, std::filesystem::path key);

  // From any thread.
  std::shared_ptr<ssl_ctx_st> context() const;

  // From one thread. Reads the files; what cannot be used is logged and the old context stays.
  void reload();
  // The same once both files have rested for a check after a change, so that a certificate is not
  // read before its key has followed it.
  void check_files();
  // Checks them every `limits::kCertificateCheck`, without end.
  boost::asio::awaitable<void> watch();

 private:
  // What a file was: a change of any of it makes us read it again.
  using Stamp = std::array<std::int64_t, 4>;
  using Stamps = std::array<Stamp, 2>;

  Stamps stamps() const;
  void load();

  const std::filesystem::path certificate_;
  const std::filesystem::path key_;
  Stamps tried_{};  // the files as they were when last read
  Stamps seen_{};   // the files as they were at the last check
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
  // Tells the peer that nothing follows, if that can be done without waiting and no write is
  // under way.
  void say_goodbye();

 private:
  struct Outcome {
    std::size_t bytes = 0;
    bool waited = false;
  };
  template <class Operation>
  boost::asio::awaitable<Outcome> perform(Operation operation, boost::system::error_code& error);

  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  bool broken_ = false;  // by an error after which OpenSSL must not be asked for anything
};

}  // namespace shopbell::http

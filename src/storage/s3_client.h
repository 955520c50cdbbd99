// S3Client: signed calls to one bucket of an S3 server, on one loop. Transient failures
// (unreachable, overloaded, cut off) are retried with exponential backoff and jitter; refusals are
// returned at once.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "net/http_client.h"
#include "storage/s3_signature.h"

namespace shopbell::storage {

struct S3Settings {
  std::string endpoint;  // "https://s3.eu-central-1.amazonaws.com": scheme, host and port
  std::string bucket;
  S3Credentials credentials;
  bool bucket_in_host = false;  // https://bucket.host/name instead of https://host/bucket/name
  std::string ca_file;          // trusted authorities, instead of the system's list
};

// The error in an endpoint; empty if it is valid.
std::string fault_of_endpoint(std::string_view endpoint);

struct S3Operation {
  std::string method = "GET";
  std::string name = {};  // name of the object; empty for the bucket itself
  Pairs query = {};
  Pairs headers = {};
  std::string body = {};
  std::uint64_t answer_bytes_max = limits::kOutboundAnswerBytes;
};

struct S3Answer {
  net::Answer http;
  std::string code;       // S3's error code, such as NoSuchKey
  bool repeated = false;  // an earlier attempt may have been executed
};

class S3Client {
 public:
  S3Client(boost::asio::io_context& loop, S3Settings settings);

  // A refusal is an answer; an error says why there is none.
  boost::asio::awaitable<std::expected<S3Answer, std::string>> call(S3Operation operation);

  // A presigned URL: anyone can download the object under that file name while it is valid.
  std::string link(const std::string& name, const std::string& file_name,
                   std::chrono::seconds valid) const;

 private:
  S3Call call_of(const S3Operation& operation) const;
  boost::asio::awaitable<std::expected<net::Answer, net::Trouble>> attempt(S3Operation operation);

  const S3Settings settings_;
  net::HttpClient http_;
};

// The text of the first element of that name in `xml`, which moves past it; nullopt if there is
// none. S3's XML is flat, so this suffices.
std::optional<std::string> element_of(std::string_view& xml, std::string_view name);

}  // namespace shopbell::storage

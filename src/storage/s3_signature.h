// Signing of requests to S3: AWS Signature Version 4, in headers and, for links, in the query.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace shopbell::storage {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct S3Credentials {
  std::string key_id;
  std::string secret;
  std::string region;
};

// The signed parts of a request. Names and values of the query are not encoded; query_of() encodes
// them.
struct S3Call {
  std::string method = "GET";
  std::string host;  // host, with its port unless it is the default
  std::string path;  // percent-encoded path, see encoded()
  Pairs query = {};
  Pairs headers = {};  // all but the host; names in lower case
};

// Percent-encodes as S3 does: everything but letters, digits and - . _ ~, in UTF-8.
enum class Slashes { encoded, kept };
std::string encoded(std::string_view text, Slashes slashes);
// "a=1&b=2", sorted by the encoded names.
std::string query_of(const Pairs& query);

// The headers to send: those of the call, and x-amz-date, x-amz-content-sha256 and authorization.
Pairs signed_headers(const S3Credentials& credentials, S3Call call, const std::string& payload_hash,
                     Instant now);

// The signed query to send. Anyone who has it can make the call while it is valid.
std::string signed_query(const S3Credentials& credentials, S3Call call, std::chrono::seconds valid,
                         Instant now);

}  // namespace shopbell::storage

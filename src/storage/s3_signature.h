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

// What is signed of a request. Names and values of the query are plain; they are sent as query_of()
// writes them.
struct S3Call {
  std::string method = "GET";
  std::string host;  // with its port unless it is the scheme's own
  std::string path;  // as it is sent: see encoded()
  Pairs query = {};
  Pairs headers = {};  // beside the host; their names in small letters
};

// Percent-encoded as S3 does it: all but letters, digits and - . _ ~, in UTF-8.
enum class Slashes { encoded, kept };
std::string encoded(std::string_view text, Slashes slashes);
// "a=1&b=2", sorted by the encoded names.
std::string query_of(const Pairs& query);

// The headers to send: those of the call, and x-amz-date, x-amz-content-sha256 and authorization.
Pairs signed_headers(const S3Credentials& credentials, S3Call call, const std::string& payload_hash,
                     Instant now);

// The query to send, signed: whoever has it can make the call for so long.
std::string signed_query(const S3Credentials& credentials, S3Call call, std::chrono::seconds valid,
                         Instant now);

}  // namespace shopbell::storage

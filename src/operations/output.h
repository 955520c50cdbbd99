// Output: the result of an operation. A failed operation throws a Problem instead.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/problem.h"
#include "json/fields.h"
#include "operations/input.h"

namespace shopbell::operations {

// The values are HTTP status codes; stored outputs of idempotency keys contain them.
enum class Outcome { ok = 200, created = 201, accepted = 202, no_content = 204, redirect = 307 };

// A body too large for memory: read in blocks while it is sent.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  virtual std::uint64_t size() const = 0;
  // Returns the next block; empty at the end. If it throws, the connection is closed early, so that
  // the client detects an incomplete body.
  virtual boost::asio::awaitable<std::string> read() = 0;
};

struct Output {
  Outcome outcome = Outcome::ok;
  std::string content_type;
  std::string body;
  std::string etag;                              // the entity tag with its quotes
  std::string location;                          // path of a created object, or URL of a redirect
  std::vector<Fault> warnings;                   // of a lenient reading; the body lists them too
  std::vector<std::string> preferences_applied;  // such as "handling=lenient"
  std::vector<std::string> applied;              // "stale", "consent": why a write changed less
  std::optional<std::string> next_cursor;        // cursor of the next page
  bool replayed = false;                         // repeats the stored output of an idempotency key
  std::string attachment;                        // file name of a download
  std::shared_ptr<BodyStream> stream;            // sent instead of `body`
  std::optional<Uuid> object;  // id of the written object, for the audit, if the path lacks it

  static Output json(std::string body) {
    return {.content_type = "application/json", .body = std::move(body)};
  }
  static Output no_content(std::optional<Uuid> object = {}) {
    return {.outcome = Outcome::no_content, .object = object};
  }
};

// Marks the output as that of a new object at `path`.
Output created(const Input& input, Output output, std::string_view path);

// One resource with its ETag, and the warnings of a lenient reading.
template <class Resource>
Output resource_output(const json::Table<Resource>& table, const Resource& resource,
                       std::string etag, const json::Reading& reading = json::Reading{}) {
  Output output = Output::json(table.to_json(resource, reading.warnings()));
  output.etag = std::move(etag);
  output.warnings = reading.warnings();
  if (reading.lenient()) output.preferences_applied.emplace_back("handling=lenient");
  return output;
}

}  // namespace shopbell::operations

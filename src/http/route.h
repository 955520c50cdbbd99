// Route: one operation of the interface: where it is, who may call it, what it takes and answers,
// what does it. Slices list theirs in a routes() function; router, pipeline and OpenAPI all work
// from that list.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/limits.h"
#include "base/problem.h"
#include "http/call.h"
#include "http/wire/message.h"
#include "json/schema.h"

namespace shopbell::http {

// Who may call. There is no default: a route that does not say does not compile.
class Access {
 public:
  static Access anybody() { return Access{""}; }
  static Access scope(std::string name) { return Access{std::move(name)}; }

  bool needs_key() const { return !scope_.empty(); }
  const std::string& scope_name() const { return scope_; }

 private:
  explicit Access(std::string scope) : scope_{std::move(scope)} {}
  std::string scope_;
};

struct QueryParameter {
  std::string name;
  std::string description;
  json::Schema schema;
};

// The JSON a request carries. A PATCH is a merge patch (RFC 7396).
struct Body {
  std::string name;  // of its schema
  json::Schema schema;
  std::string example;  // JSON
  std::size_t bytes_max = limits::kBodyBytes;
  std::size_t lines_bytes_max = 0;  // of many of them, one a line (NDJSON); 0: takes only one
};

// A body too large to hold: the handler reads it while it comes in (Call::upload). It is a form of
// several parts, or the file alone.
struct UploadBody {
  struct Alone {
    std::string media_type;
    std::string description;
    std::string example;
  };
  std::string name;  // of the schema of the form
  json::Schema form;
  std::vector<std::pair<std::string, std::string>> example;  // of its parts; `@name` is a file
  std::vector<Alone> alone;
  std::size_t bytes_max = limits::kUploadBytes;
};

// What the pipeline asks for and OpenAPI tells about an operation.
struct Operation {
  std::string id;  // "getStore"
  std::string tag;
  std::string tag_description;  // once per tag will do
  std::string summary;
  std::string description;
  std::vector<QueryParameter> parameters;
  std::optional<Body> body;
  std::optional<UploadBody> upload;  // instead of a body
  int success = 200;                 // 201 has a Location; 204 has no body
  bool may_create = false;           // then it answers 201
  bool may_queue = false;            // then it answers 202, where the operator has a queue
  bool located = true;               // what it makes has a path of its own
  std::string answer_name;           // of the schema of the answer
  json::Schema answer;
  bool hashed = false;     // it has an ETag of its content, which a read's If-None-Match can name
  bool versioned = false;  // it has an ETag that If-Match and If-None-Match can name
  std::vector<Code> problems;               // beyond those every operation may answer
  bool listed = true;                       // in OpenAPI; pages for people are not
  std::vector<std::string> further_scopes;  // that some requests need, too; the handler asks
  std::string successor;                    // the path that replaces a deprecated one
  std::string family;  // parameters whose names begin so are taken too; the handler judges them

  bool deprecated() const { return !successor.empty(); }
};

using Handler = std::function<boost::asio::awaitable<Response>(Call)>;

struct Route {
  Method method;
  std::string path;  // "/contacts/email/{email}"; a collection ends in a slash
  Access access;
  Handler handler;
  Operation operation;
};

}  // namespace shopbell::http

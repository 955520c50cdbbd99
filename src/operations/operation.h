// Operation: one function of the API: HTTP method and path, required scope, input, output and
// handler. Each slice lists its operations in operation_table(); the router, the pipeline, OpenAPI,
// imports, the queue and commands all work from that list.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/limits.h"
#include "base/problem.h"
#include "json/schema.h"
#include "operations/input.h"
#include "operations/output.h"

namespace shopbell::operations {

// The HTTP method of an operation.
enum class Method { get, head, post, put, patch, delete_, options, other };
std::string_view name_of(Method method);

// The scope that a caller needs. There is no default: an operation without it does not compile.
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

// The JSON body of a request. A PATCH is a merge patch (RFC 7396).
struct Body {
  std::string name;  // name of the schema
  json::Schema schema;
  std::string example;  // JSON
  std::size_t bytes_max = limits::kBodyBytes;
  std::size_t lines_bytes_max = 0;  // limit of an NDJSON body; 0: NDJSON is not accepted
};

// A body too large for memory: the handler reads it while it arrives (Input::upload). It is a form
// of several parts, or a single file.
struct UploadBody {
  struct Alone {
    std::string media_type;
    std::string description;
    std::string example;
  };
  std::string name;  // name of the form's schema
  json::Schema form;
  std::vector<std::pair<std::string, std::string>> example;  // the parts; `@name` is a file
  std::vector<Alone> alone;
  std::size_t bytes_max = limits::kUploadBytes;
};

// The declaration of an operation. HTTP validates requests against it, and OpenAPI is generated
// from it.
struct Description {
  std::string id;  // such as "getStore"
  std::string tag;
  std::string tag_description;  // needed only once per tag
  std::string summary;
  std::string description;
  std::vector<QueryParameter> parameters;
  std::optional<Body> body;
  std::optional<UploadBody> upload;  // set instead of a JSON body
  int success = 200;                 // 201 has a Location; 204 has no body
  bool may_create = false;           // may also respond with 201
  bool may_queue = false;            // may respond with 202, if Kafka is configured
  bool located = true;               // a created object has its own path
  std::string answer_name;           // name of the response's schema
  json::Schema answer;
  bool hashed = false;         // the answer has an ETag of its content, for If-None-Match
  bool versioned = false;      // the object has an ETag for If-Match and If-None-Match
  std::vector<Code> problems;  // codes in addition to those of every operation
  bool listed = true;          // OpenAPI lists the operation
  std::vector<std::string> further_scopes;  // some invocations need them; the handler checks
  std::string resource;                     // name of the resource that it reads or writes
  // A caller of a write with one of these scopes gets the whole answer. Set by find_readers().
  std::vector<std::string> read_scopes;
  std::vector<std::string> shown_once;  // members that only this answer has, such as a new secret
  std::string successor;                // the path that replaces a deprecated operation
  std::string family;  // accepts parameters with this prefix; the handler checks them

  bool deprecated() const { return !successor.empty(); }
};

using Handler = std::function<boost::asio::awaitable<Output>(Input)>;

struct Operation {
  Method method;
  std::string path;  // such as "/contacts/email/{email}"; a collection ends in a slash
  Access access;
  Handler handler;
  Description description;
};

// The operation with that id. Throws std::logic_error if there is none.
const Operation& find_operation(const std::vector<Operation>& operations, std::string_view id);

}  // namespace shopbell::operations

// Replies of SMTP servers (RFC 5321, 4.2), with enhanced status codes (RFC 3463).
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace shopbell::net::smtp {

struct Reply {
  int code = 0;          // such as 550
  std::string enhanced;  // such as "5.1.1"; empty if the server sent none
  std::string text;      // the lines without codes, separated by line feeds

  bool is_positive() const { return code / 100 == 2; }
  bool is_transient() const { return code / 100 == 4; }
  bool is_permanent() const { return code / 100 == 5; }
  // True if the server waits for more: it answers so to DATA and during a login.
  bool is_intermediate() const { return code / 100 == 3; }
};

// The server sent something that is not a reply, or is too long.
class BadReply : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Divides the bytes of a server into replies.
class ReplyReader {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  // Returns the next complete reply; nullopt until its last line has arrived. Throws BadReply.
  std::optional<Reply> next();
  // True if bytes are left that next() has not returned.
  bool has_rest() const { return !bytes_.empty() || lines_ > 0; }

 private:
  // Adds a line to the reply. Returns true if it was the last.
  bool take_line(std::string_view line);

  std::string bytes_;
  Reply reply_;
  std::size_t lines_ = 0;  // lines of the reply so far
};

}  // namespace shopbell::net::smtp

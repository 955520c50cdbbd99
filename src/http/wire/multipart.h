// FormReader: multipart/form-data (RFC 7578) in blocks of any size: hands out the head of each part
// and then its data as it comes, so that a part may be larger than memory. However the bytes are
// cut, the parts are the same.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace shopbell::http {

class FormReader {
 public:
  struct Part {
    std::string name;
    std::optional<std::string> file_name;  // as the client calls it, whatever that is
    std::string content_type;              // as sent; empty when it says none

    bool operator==(const Part&) const = default;
  };

  // By the Content-Type of the body, which names the boundary. All of it throws malformed-form for
  // what is not a form.
  explicit FormReader(std::string_view content_type);

  void feed(std::string_view bytes);

  enum class Next {
    more,  // it needs to be fed, or the body has ended
    part,  // part() is its head; its data follows until the next part or the end
    data,  // take_data() is some of it
    end,   // the last part is over; what may follow is ignored
  };
  Next next();
  const Part& part() const { return part_; }
  std::string take_data();

  // The body has ended: throws when the form has not.
  void finish() const;

 private:
  enum class State { preamble, after_boundary, head, data, epilogue };

  std::optional<Next> skip_preamble();
  std::optional<Next> pass_boundary();
  std::optional<Next> read_head();
  std::optional<Next> read_data();
  bool find_boundary(std::size_t& end);

  std::string delimiter_;  // a line end, two hyphens and the boundary
  std::string pending_;    // fed, and not handed out
  std::string data_;
  Part part_;
  State state_ = State::preamble;
  std::size_t skipped_ = 0;  // of what stands before the first boundary
  std::size_t parts_ = 0;
};

}  // namespace shopbell::http

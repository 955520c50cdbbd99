// FormReader: incremental parser of multipart/form-data (RFC 7578). It returns the head of each
// part and then its data as it arrives, so that a part may be larger than memory. The result does
// not depend on how the bytes are split.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "operations/upload.h"

namespace shopbell::http {

class FormReader {
 public:
  using Part = operations::Upload::Part;

  // `content_type` names the boundary. All members throw malformed-form if the body is not a form.
  explicit FormReader(std::string_view content_type);

  void feed(std::string_view bytes);

  enum class Next {
    more,  // call feed(), or finish() at the end of the body
    part,  // part() is the head; its data follows until the next part or the end
    data,  // take_data() returns a piece of the part's data
    end,   // the last part has ended; the rest is ignored
  };
  Next next();
  const Part& part() const { return part_; }
  std::string take_data();

  // Call this at the end of the body. Throws if the form is incomplete.
  void finish() const;

 private:
  enum class State { preamble, after_boundary, head, data, epilogue };

  std::optional<Next> skip_preamble();
  std::optional<Next> pass_boundary();
  std::optional<Next> read_head();
  std::optional<Next> read_data();
  bool find_boundary(std::size_t& end);

  std::string delimiter_;  // consists of line end, two hyphens and boundary
  std::string pending_;    // bytes that were fed, but not returned yet
  std::string data_;
  Part part_;
  State state_ = State::preamble;
  std::size_t skipped_ = 0;  // bytes before the first boundary
  std::size_t parts_ = 0;
};

}  // namespace shopbell::http

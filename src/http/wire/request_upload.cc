#include "http/wire/request_upload.h"

#include "compress/compress.h"
#include "http/wire/body.h"

namespace shopbell::http {

bool RequestUpload::is_form() const { return http::media_type(request_) == "multipart/form-data"; }

std::string RequestUpload::media_type() const { return http::media_type(request_); }

std::string RequestUpload::coding() const {
  const auto coding = compress::coding_of(request_.header("content-encoding"));
  if (!coding || *coding == compress::Coding::identity) return "none";
  return std::string{compress::name_of(*coding)};
}

boost::asio::awaitable<std::string> RequestUpload::read_source() {
  // Restarts the deadline also after a failure: the operation needs time to clean up.
  struct Touch {
    Upload& upload;
    ~Touch() { upload.touch(); }
  };
  const Touch touched{*this};
  check_duration();
  co_return co_await source_.read();
}

FormReader& RequestUpload::form() {
  if (!form_) form_.emplace(request_.header("content-type"));
  return *form_;
}

boost::asio::awaitable<void> RequestUpload::feed_form() {
  const std::string block = co_await read_source();
  ended_ = block.empty();
  if (ended_) {
    form().finish();
  } else {
    form().feed(block);
  }
}

boost::asio::awaitable<std::optional<operations::Upload::Part>> RequestUpload::next_part() {
  std::string rest = co_await read();  // discards the rest of the previous part
  while (!rest.empty()) rest = co_await read();
  co_return std::exchange(part_, std::nullopt);
}

boost::asio::awaitable<std::string> RequestUpload::read() {
  if (!is_form()) co_return co_await read_source();
  while (!part_ && !ended_) {
    const FormReader::Next next = form().next();
    if (next == FormReader::Next::part) part_ = form().part();
    if (next == FormReader::Next::data) co_return form().take_data();
    if (next == FormReader::Next::more) co_await feed_form();
  }
  co_return "";
}

}  // namespace shopbell::http

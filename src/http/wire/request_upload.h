// RequestUpload: the body of an HTTP request as an upload: a single file, or multipart/form-data.
#pragma once

#include <optional>
#include <string>

#include "http/wire/message.h"
#include "http/wire/multipart.h"
#include "operations/upload.h"

namespace shopbell::http {

class RequestUpload final : public operations::Upload {
 public:
  RequestUpload(const Request& request, BodySource& source) : request_{request}, source_{source} {}

  bool is_form() const override;
  std::string media_type() const override;
  std::string coding() const override;
  boost::asio::awaitable<std::optional<Part>> next_part() override;
  boost::asio::awaitable<std::string> read() override;

 private:
  FormReader& form();
  boost::asio::awaitable<std::string> read_source();
  // Feeds the next block to the form, or finishes it at the end of the body.
  boost::asio::awaitable<void> feed_form();

  const Request& request_;
  BodySource& source_;
  std::optional<FormReader> form_;
  std::optional<Part> part_;  // the next part, read ahead
  bool ended_ = false;
};

}  // namespace shopbell::http

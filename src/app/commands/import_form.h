// ImportForm: the upload of an import command: the form that an HTTP client would send, with a
// local file.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

#include "operations/upload.h"

namespace shopbell::app {

class ImportForm final : public operations::Upload {
 public:
  // Throws std::runtime_error if the file cannot be opened.
  ImportForm(std::string type, std::string options, const std::string& file);

  bool is_form() const override { return true; }
  std::string media_type() const override { return "multipart/form-data"; }
  std::string coding() const override { return "none"; }
  boost::asio::awaitable<std::optional<Part>> next_part() override;
  boost::asio::awaitable<std::string> read() override;

 private:
  std::string read_file();

  std::string texts_[2];  // values of the form parts `type` and `options`
  const std::string file_name_;
  std::ifstream file_;
  std::size_t part_ = 0;  // number of form parts started so far
  std::size_t bytes_ = 0;
};

}  // namespace shopbell::app

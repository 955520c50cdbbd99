#include "app/commands/import_form.h"

#include <filesystem>
#include <format>
#include <stdexcept>
#include <utility>

#include "base/limits.h"
#include "base/problem.h"

namespace shopbell::app {

ImportForm::ImportForm(std::string type, std::string options, const std::string& file)
    : texts_{std::move(type), std::move(options)},
      file_name_{std::filesystem::path{file}.filename().string()},
      file_{file, std::ios::binary} {
  if (!file_) throw std::runtime_error{std::format("{} cannot be opened", file)};
}

boost::asio::awaitable<std::optional<operations::Upload::Part>> ImportForm::next_part() {
  switch (part_++) {
    case 0:
      co_return Part{.name = "type", .file_name = {}, .content_type = ""};
    case 1:
      co_return Part{.name = "options", .file_name = {}, .content_type = ""};
    case 2:
      co_return Part{.name = "file", .file_name = file_name_, .content_type = ""};
    default:
      co_return std::nullopt;
  }
}

boost::asio::awaitable<std::string> ImportForm::read() {
  touch();
  if (part_ <= 2) co_return std::exchange(texts_[part_ - 1], "");
  co_return read_file();
}

std::string ImportForm::read_file() {
  std::string block(limits::kUploadBlock, '\0');
  file_.read(block.data(), static_cast<std::streamsize>(block.size()));
  block.resize(static_cast<std::size_t>(file_.gcount()));
  bytes_ += block.size();
  if (bytes_ > limits::kUploadBytes)
    throw Problem{Code::body_too_large,
                  std::format("The file is larger than {} bytes.", limits::kUploadBytes)};
  return block;
}

}  // namespace shopbell::app

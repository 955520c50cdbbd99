#include "resources/exports/files_api.h"

#include <format>

#include "base/limits.h"
#include "resources/exports/export_json.h"
#include "resources/exports/export_store.h"

namespace shopbell::exports {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

constexpr std::chrono::seconds kElsewhereValid{60};

class FileBody final : public http::BodyStream {
 public:
  explicit FileBody(std::unique_ptr<storage::Download> download) : download_{std::move(download)} {}
  std::uint64_t size() const override { return download_->size(); }
  boost::asio::awaitable<std::string> read() override { return download_->read(); }

 private:
  std::unique_ptr<storage::Download> download_;
};

Problem no_file() { return {Code::not_found, "There is no such file."}; }

std::string media_type_of(const Export& made) {
  if (made.compression == "gzip") return "application/gzip";
  if (made.compression == "zip") return "application/zip";
  return made.is_ndjson() ? "application/x-ndjson" : "text/csv; charset=utf-8";
}

// Who holds a link that was signed learns that it is over; anything else is no link at all.
Answer get_file(http::Call call) {
  const auto link = verify(call.keyring(), call.path("token"));
  if (!link) throw no_file();
  const auto linked = co_await find_linked(call.database(), *link, call.scope().deadline);
  const Problem over{Code::link_expired, "The link, its key or its file has come to its end."};
  if (!linked || !linked->lives) throw over;
  const Export made = export_of(linked->job);
  if (call.path("name") != made.file_name) throw no_file();
  if (auto elsewhere = call.storage().link(*made.file, made.file_name, kElsewhereValid))
    co_return http::Response{
        .status = 307,
        .headers = {{"Location", std::move(*elsewhere)}, {"Cache-Control", "no-store"}}};
  auto download = co_await call.storage().open(*made.file, 0);
  if (!download) throw over;
  http::Response response{.content_type = media_type_of(made)};
  response.stream = std::make_shared<FileBody>(std::move(download));
  response.etag = '"' + *made.sha256 + '"';
  response.headers = {
      {"Content-Disposition", std::format("attachment; filename=\"{}\"", made.file_name)},
      {"X-Content-Type-Options", "nosniff"},
      {"Cache-Control", "no-store"}};
  co_return response;
}

}  // namespace

http::Route file_route() {
  return {http::Method::get, "/files/{token}/{name}", http::Access::anybody(), get_file,
          http::Operation{.id = "getFile",
                          .tag = "Exports",
                          .summary = "Download a file",
                          .description = "By the link that an export shows.",
                          .problems = {Code::not_found, Code::link_expired},
                          .listed = false}};
}

}  // namespace shopbell::exports

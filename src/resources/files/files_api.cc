#include "resources/files/files_api.h"

#include <format>
#include <memory>

#include "resources/files/file_store.h"

namespace shopbell::files {

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

std::optional<Offer> offer_of(const Offers& offers, const jobs::Job& job) {
  const auto kind = offers.find(job.kind);
  return kind == offers.end() ? std::nullopt : kind->second(job);
}

// Who holds a link that was signed learns that it is over; anything else is no link at all.
Answer get_file(http::Call call, std::shared_ptr<const Offers> offers) {
  const auto link = verify(call.keyring(), call.path("token"));
  if (!link) throw no_file();
  const auto linked = co_await find_linked(call.database(), *link, call.scope().deadline);
  const Problem over{Code::link_expired, "The link, its key or its file has come to its end."};
  if (!linked || !linked->lives) throw over;
  const auto offer = offer_of(*offers, linked->job);
  if (!offer) throw over;
  if (call.path("name") != offer->name) throw no_file();
  if (auto elsewhere = call.storage().link(offer->file, offer->name, kElsewhereValid))
    co_return http::Response{
        .status = 307,
        .headers = {{"Location", std::move(*elsewhere)}, {"Cache-Control", "no-store"}}};
  auto download = co_await call.storage().open(offer->file, 0);
  if (!download) throw over;
  http::Response response{.content_type = offer->media_type};
  response.stream = std::make_shared<FileBody>(std::move(download));
  response.etag = offer->etag;
  response.headers = {
      {"Content-Disposition", std::format("attachment; filename=\"{}\"", offer->name)},
      {"X-Content-Type-Options", "nosniff"},
      {"Cache-Control", "no-store"}};
  co_return response;
}

}  // namespace

std::vector<http::Route> routes(Offers offers) {
  const auto shared = std::make_shared<const Offers>(std::move(offers));
  return {{http::Method::get, "/files/{token}/{name}", http::Access::anybody(),
           [shared](http::Call call) { return get_file(call, shared); },
           http::Operation{.id = "getFile",
                           .tag = "Files",
                           .tag_description = "What jobs have left.",
                           .summary = "Download a file",
                           .description = "By the link that an export or an import shows.",
                           .problems = {Code::not_found, Code::link_expired},
                           .listed = false}}};
}

}  // namespace shopbell::files

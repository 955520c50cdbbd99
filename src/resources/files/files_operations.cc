#include "resources/files/files_operations.h"

#include <algorithm>
#include <format>
#include <memory>

#include "resources/files/file_store.h"

namespace shopbell::files {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

constexpr std::chrono::seconds kRedirectValid{60};

class FileBody final : public operations::BodyStream {
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

// A correctly signed link that is no longer valid gets link-expired; any other gets not-found.
Answer get_file(operations::Input input, std::shared_ptr<const Offers> offers) {
  const auto link = verify(input.keyring(), input.path("token"));
  if (!link) throw no_file();
  const auto linked = co_await find_linked(input.database(), *link, input.scope().deadline);
  const Problem expired{
      Code::link_expired,
      "The link or its file has expired, or the key it was made for is no longer valid or may no "
      "longer read the data."};
  if (!linked || !linked->lives) throw expired;
  const auto offer = offer_of(*offers, linked->job);
  const auto is_held = [&](const std::string& scope) {
    return std::ranges::contains(linked->key_scopes, scope);
  };
  if (!offer || !std::ranges::all_of(offer->scopes, is_held)) throw expired;
  if (input.path("name") != offer->name) throw no_file();
  if (auto redirect = input.storage().link(offer->file, offer->name, kRedirectValid))
    co_return operations::Output{.outcome = operations::Outcome::redirect,
                                 .location = std::move(*redirect)};
  auto download = co_await input.storage().open(offer->file, 0);
  if (!download) throw expired;
  operations::Output output{.content_type = offer->media_type};
  output.stream = std::make_shared<FileBody>(std::move(download));
  output.etag = offer->etag;
  output.attachment = offer->name;
  co_return output;
}

}  // namespace

std::vector<operations::Operation> operation_table(Offers offers) {
  const auto shared = std::make_shared<const Offers>(std::move(offers));
  return {
      {operations::Method::get, "/files/{token}/{name}", operations::Access::anybody(),
       [shared](operations::Input input) { return get_file(input, shared); },
       operations::Description{.id = "getFile",
                               .tag = "Files",
                               .tag_description = "Files that exports and imports produce.",
                               .summary = "Download a file",
                               .description = "Use the link that an export or an import returns.",
                               .problems = {Code::not_found, Code::link_expired},
                               .listed = false}}};
}

}  // namespace shopbell::files

#include "storage/s3.h"

#include <charconv>
#include <format>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace shopbell::storage {

namespace {

namespace asio = boost::asio;

[[noreturn]] void refuse(const S3Answer& answer) {
  throw Error{std::format("S3: refused with {} {}", answer.http.status, answer.code)};
}

bool succeeded(const S3Answer& answer) {
  return answer.http.status / 100 == 2 && answer.code.empty();
}

}  // namespace

struct S3::ClientThread {
  explicit ClientThread(S3Settings settings)
      : work(loop.get_executor()),
        client(loop, std::move(settings)),
        thread([this] { loop.run(); }) {}
  ~ClientThread() { stop(); }
  ClientThread(const ClientThread&) = delete;
  ClientThread& operator=(const ClientThread&) = delete;

  // After stop() no pending call returns.
  void stop() {
    loop.stop();
    if (thread.joinable()) thread.join();
  }

  // Makes a call on this thread; the coroutine resumes on its own loop.
  asio::awaitable<S3Answer> call(S3Operation operation) {
    auto answer =
        co_await asio::co_spawn(loop, client.call(std::move(operation)), asio::use_awaitable);
    if (!answer) throw Error{"S3: " + answer.error()};
    co_return *std::move(answer);
  }

  asio::awaitable<void> abort(std::string name, std::string upload_id) {
    S3Operation ending{
        .method = "DELETE", .name = std::move(name), .query = {{"uploadId", upload_id}}};
    const S3Answer answer = co_await call(std::move(ending));
    if (!succeeded(answer) && answer.http.status != 404) refuse(answer);
  }

  asio::io_context loop{1};
  asio::executor_work_guard<asio::io_context::executor_type> work;
  S3Client client;
  std::thread thread;
};

namespace {

std::optional<std::uint64_t> content_length(const S3Answer& answer) {
  const std::string_view text = answer.http.header("content-length");
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return size;
}

class S3Upload final : public Upload {
 public:
  S3Upload(std::shared_ptr<S3::ClientThread> client_thread, std::string name)
      : client_thread_(std::move(client_thread)), name_(std::move(name)) {}
  ~S3Upload() override {
    if (id_.empty() || finished_) return;
    asio::co_spawn(client_thread_->loop, client_thread_->abort(name_, id_),
                   [](const std::exception_ptr&) {
                     // If the abort fails, remove() or the bucket's lifecycle rule cleans up.
                   });
  }

  asio::awaitable<void> write(std::string block) override {
    std::string_view left = block;
    while (!left.empty()) {
      const std::string_view piece = left.substr(0, limits::kS3PartBytes - part_.size());
      part_ += piece;
      left.remove_prefix(piece.size());
      if (part_.size() == limits::kS3PartBytes) co_await send_part();
    }
  }

  asio::awaitable<void> finish() override {
    if (id_.empty()) {
      S3Operation whole{.method = "PUT", .name = name_, .body = std::move(part_)};
      const S3Answer answer = co_await client_thread_->call(std::move(whole));
      if (!succeeded(answer)) refuse(answer);
    } else {
      if (!part_.empty()) co_await send_part();
      co_await complete();
    }
    finished_ = true;
  }

 private:
  asio::awaitable<void> begin() {
    S3Operation beginning{.method = "POST", .name = name_, .query = {{"uploads", ""}}};
    const S3Answer answer = co_await client_thread_->call(std::move(beginning));
    if (!succeeded(answer)) refuse(answer);
    std::string_view xml = answer.http.body;
    id_ = element_of(xml, "UploadId").value_or("");
    if (id_.empty()) throw Error{"S3: the server started an upload without an id"};
  }

  asio::awaitable<void> send_part() {
    if (id_.empty()) co_await begin();
    bytes_ += part_.size();
    const std::string number = std::to_string(tags_.size() + 1);
    S3Operation part{.method = "PUT",
                     .name = name_,
                     .query = {{"partNumber", number}, {"uploadId", id_}},
                     .body = std::exchange(part_, {})};
    const S3Answer answer = co_await client_thread_->call(std::move(part));
    if (!succeeded(answer)) refuse(answer);
    tags_.emplace_back(answer.http.header("etag"));
  }

  asio::awaitable<void> complete() {
    std::string xml = "<CompleteMultipartUpload>";
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      xml +=
          std::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1, tags_[i]);
    }
    xml += "</CompleteMultipartUpload>";
    S3Operation completion{.method = "POST",
                           .name = name_,
                           .query = {{"uploadId", id_}},
                           .headers = {{"content-type", "application/xml"}},
                           .body = std::move(xml)};
    const S3Answer answer = co_await client_thread_->call(std::move(completion));
    if (succeeded(answer)) co_return;
    // The first attempt may have succeeded, and only its answer was lost.
    if (!answer.repeated || answer.code != "NoSuchUpload") refuse(answer);
    S3Operation look{.method = "HEAD", .name = name_};
    const S3Answer head = co_await client_thread_->call(std::move(look));
    if (!succeeded(head) || content_length(head) != bytes_) refuse(answer);
  }

  const std::shared_ptr<S3::ClientThread> client_thread_;
  const std::string name_;
  std::string part_;
  std::string id_;                 // set once there is more than one part
  std::vector<std::string> tags_;  // ETags of the parts sent
  std::uint64_t bytes_ = 0;
  bool finished_ = false;
};

class S3Download final : public Download {
 public:
  S3Download(std::shared_ptr<S3::ClientThread> client_thread, std::string name, std::string tag,
             std::uint64_t size, std::uint64_t offset)
      : client_thread_(std::move(client_thread)),
        name_(std::move(name)),
        tag_(std::move(tag)),
        size_(size),
        offset_(offset) {}

  std::uint64_t size() const override { return size_; }

  asio::awaitable<std::string> read() override {
    if (offset_ >= size_) co_return "";
    const std::uint64_t end = std::min<std::uint64_t>(size_, offset_ + limits::kS3RangeBytes);
    S3Operation range{
        .name = name_,
        .headers = {{"range", std::format("bytes={}-{}", offset_, end - 1)}, {"if-match", tag_}},
        .answer_bytes_max = limits::kS3RangeBytes};
    S3Answer answer = co_await client_thread_->call(std::move(range));
    if (answer.http.status != 206) refuse(answer);
    if (answer.http.body.size() != end - offset_)
      throw Error{"S3: the server sent another range than requested"};
    offset_ = end;
    co_return std::move(answer.http.body);
  }

 private:
  const std::shared_ptr<S3::ClientThread> client_thread_;
  const std::string name_;
  const std::string tag_;  // ETag, so that all ranges are of the same version
  const std::uint64_t size_;
  std::uint64_t offset_;
};

void expect_name(const std::string& name) {
  if (!is_name(name)) throw Error{"that is not a valid file name"};
}

}  // namespace

S3::S3(S3Settings settings) : client_thread_(std::make_shared<ClientThread>(std::move(settings))) {}

S3::~S3() { client_thread_->stop(); }

asio::awaitable<std::unique_ptr<Upload>> S3::create(std::string name) {
  expect_name(name);
  co_return std::make_unique<S3Upload>(client_thread_, std::move(name));
}

asio::awaitable<std::unique_ptr<Download>> S3::open(std::string name, std::uint64_t offset) {
  expect_name(name);
  S3Operation look{.method = "HEAD", .name = name};
  const S3Answer answer = co_await client_thread_->call(std::move(look));
  if (answer.http.status == 404) co_return nullptr;
  const auto size = content_length(answer);
  if (!succeeded(answer) || !size) refuse(answer);
  co_return std::make_unique<S3Download>(client_thread_, std::move(name),
                                         std::string{answer.http.header("etag")}, *size, offset);
}

asio::awaitable<void> S3::remove(std::string name) {
  expect_name(name);
  S3Operation removal{.method = "DELETE", .name = name};
  const S3Answer removed = co_await client_thread_->call(std::move(removal));
  if (!succeeded(removed) && removed.http.status != 404) refuse(removed);
  S3Operation list{.query = {{"uploads", ""}, {"prefix", name}}};
  const S3Answer listed = co_await client_thread_->call(std::move(list));
  if (!succeeded(listed)) refuse(listed);
  std::string_view xml = listed.http.body;
  while (const auto upload = element_of(xml, "Upload")) {
    std::string_view inside = *upload;
    const auto key = element_of(inside, "Key");
    inside = *upload;
    const auto id = element_of(inside, "UploadId");
    if (key == name && id) co_await client_thread_->abort(name, *id);
  }
}

std::optional<std::string> S3::link(const std::string& name, const std::string& file_name,
                                    std::chrono::seconds valid) const {
  expect_name(name);
  return client_thread_->client.link(name, file_name, valid);
}

}  // namespace shopbell::storage

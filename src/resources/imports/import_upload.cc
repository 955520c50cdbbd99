#include "resources/imports/import_upload.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "compress/compress.h"
#include "http/route.h"
#include "http/wire/body.h"
#include "http/wire/multipart.h"
#include "json/writer.h"
#include "resources/imports/import_rules.h"

namespace shopbell::imports {

namespace {

using boost::asio::awaitable;
using http::FormReader;

bool is_form(const http::Call& call) {
  return http::media_type(call.request()) == "multipart/form-data";
}

std::string extension_of(const std::string& coding) {
  return coding == "gzip" ? ".gz" : coding == "zstd" ? ".zst" : "";
}

// Everything that can be told without the store.
Import judged(const http::Call& call, json::Reading& reading, const Wish& wish) {
  Import import = read_wish(reading, wish);
  finish_reading(call, reading);
  call.require_scope(scope_of(import.type));
  if (makes_contacts(import.type)) call.require_scope("contacts:write");
  return import;
}

// And what the names in it stand for: it would be a pity to learn that after a long upload.
awaitable<void> check_names(http::Call call, Import wish) {
  pg::Group reads;
  read_names(reads, call.account(), wish);
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  json::Reading reading;
  settle_names(reading, wish, found);
  finish_reading(call, reading);
}

// What an import is, however its upload was written down.
void settle(const http::Call& call, Import& import, const FileIntake& intake) {
  import.file = intake.name();
  import.coding = intake.coding();
  import.bytes = intake.bytes();
  if (import.file_name.empty())
    import.file_name =
        std::format("{}.{}{}", import.type, import.options.format, extension_of(import.coding));
  call.upload().touch();
  call.upload().set_digest(
      sha256(std::format("{}\n{}\n{}\n{}\n{}", import.type, options_json().to_json(import.options),
                         import.file_name, import.coding, to_hex(intake.sha256()))));
}

// The query as the options of a form would be.
Wish wish_in_query(const http::Call& call) {
  Wish wish;
  wish.content_type = http::media_type(call.request());
  json::Writer options;
  options.begin_object();
  for (const auto& parameter : call.route().operation.parameters) {
    const auto value = call.parameter(parameter.name);
    if (!value) continue;
    if (parameter.name == "type") {
      wish.type = *value;
    } else if (parameter.schema.type == "boolean") {
      options.key(parameter.name).boolean(*value == "true");
    } else {
      options.key(parameter.name).text(*value);
    }
  }
  options.end();
  wish.options = options.finish();
  return wish;
}

awaitable<Import> receive_alone(http::Call call, FileIntake& intake) {
  json::Reading reading;
  const Wish wish = wish_in_query(call);
  Import import = judged(call, reading, wish);
  Wish plain = wish;
  plain.options.reset();
  json::Reading ignored;
  if (read_wish(ignored, plain).options.format != import.options.format) {
    const json::Reading::Place place{reading, "options"};
    reading.refuse_at("format", "conflicts-with", "The Content-Type says something else.");
    finish_reading(call, reading);
  }
  co_await check_names(call, import);
  const auto coding = compress::coding_of(call.request().header("content-encoding"));
  // Named here: within the co_await GCC 14 evaluates both sides of the choice.
  std::string packed = "none";
  if (coding && *coding != compress::Coding::identity) packed = compress::name_of(*coding);
  co_await intake.begin(std::move(packed));
  while (true) {
    std::string block = co_await call.upload().read();
    if (block.empty()) break;
    co_await intake.add(std::move(block));
  }
  co_await intake.finish();
  settle(call, import, intake);
  co_return import;
}

class Form {
 public:
  Form(http::Call call, FileIntake& intake)
      : call_{call}, intake_{intake}, reader_{call.request().header("content-type")} {}

  awaitable<Import> receive() {
    refuse_parameters();
    while (true) {
      switch (reader_.next()) {
        case FormReader::Next::more: {
          const std::string block = co_await call_.upload().read();
          if (block.empty()) co_return co_await finished();
          reader_.feed(block);
          break;
        }
        case FormReader::Next::part:
          co_await begin_part(reader_.part());
          break;
        case FormReader::Next::data:
          co_await add(reader_.take_data());
          break;
        case FormReader::Next::end:
          break;
      }
    }
  }

 private:
  // Two places for one thing would leave open which of them counts.
  void refuse_parameters() const {
    std::vector<Fault> faults;
    for (const auto& parameter : call_.route().operation.parameters) {
      if (call_.parameter(parameter.name))
        faults.push_back({Fault::Where::parameter, parameter.name, "conflicts-with",
                          "Is for a file that comes alone; a form has parts."});
    }
    if (!faults.empty())
      throw Problem{Code::invalid_parameter, "A form takes no parameters.", std::move(faults)};
  }

  awaitable<void> begin_part(FormReader::Part part) {
    into_ = nullptr;
    in_file_ = false;
    const auto again = [&] { reading_.refuse_at(part.name, "duplicate", "Is there twice."); };
    if (part.name == "file") {
      if (intake_.begun()) co_return again();
      wish_.file_name = part.file_name.value_or("");
      wish_.content_type = part.content_type;
      if (wish_.type && wish_.options) co_await check_names(call_, judged(call_, reading_, wish_));
      in_file_ = true;
      co_await intake_.begin("none");
    } else if (part.name == "type" || part.name == "options") {
      auto& member = part.name == "type" ? wish_.type : wish_.options;
      if (member) co_return again();
      into_ = &member.emplace();
    } else {
      reading_.refuse_at(part.name, "unknown-member", "There is no such part.");
    }
  }

  awaitable<void> add(std::string data) {
    if (in_file_) co_return co_await intake_.add(std::move(data));
    field_bytes_ += data.size();
    if (field_bytes_ > limits::kFormFieldBytes)
      throw Problem{
          Code::body_too_large,
          std::format("What is not the file takes more than {} bytes.", limits::kFormFieldBytes)};
    if (into_ != nullptr) *into_ += data;
  }

  awaitable<Import> finished() {
    reader_.finish();
    if (!intake_.begun()) reading_.refuse_at("file", "required", "Is missing.");
    Import import = judged(call_, reading_, wish_);
    co_await intake_.finish();
    settle(call_, import, intake_);
    co_return import;
  }

  http::Call call_;
  FileIntake& intake_;
  FormReader reader_;
  json::Reading reading_;
  Wish wish_;
  std::string* into_ = nullptr;  // the field that is being read
  bool in_file_ = false;
  std::size_t field_bytes_ = 0;
};

}  // namespace

awaitable<Import> receive(http::Call call, FileIntake& intake) {
  if (!is_form(call)) co_return co_await receive_alone(call, intake);
  Form form{call, intake};
  co_return co_await form.receive();
}

void finish_reading(const http::Call& call, const json::Reading& reading) {
  try {
    reading.finish();
  } catch (const Problem& problem) {
    if (is_form(call)) throw;
    std::vector<Fault> faults = problem.faults();
    for (auto& fault : faults) {
      fault.where = Fault::Where::parameter;
      fault.at.erase(0, fault.at.rfind('/') + 1);
    }
    throw Problem{Code::invalid_parameter, "The query has parameters that cannot be used.",
                  std::move(faults)};
  }
}

}  // namespace shopbell::imports

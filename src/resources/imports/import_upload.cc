#include "resources/imports/import_upload.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "json/writer.h"
#include "operations/operation.h"
#include "resources/imports/import_rules.h"

namespace shopbell::imports {

namespace {

using boost::asio::awaitable;

std::string extension_of(const std::string& coding) {
  return coding == "gzip" ? ".gz" : coding == "zstd" ? ".zst" : "";
}

// Makes the checks that need no database access.
Import checked(const operations::Input& input, json::Reading& reading,
               const ImportRequest& request) {
  Import import = read_request(reading, request);
  finish_reading(input, reading);
  for (const auto& scope : write_scopes(import.type)) input.require_scope(scope);
  return import;
}

// Checks the names in the options before the file is read, so that a wrong name fails early.
awaitable<void> check_names(operations::Input input, Import request) {
  pg::Group reads;
  read_names(reads, input.account(), request);
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  json::Reading reading;
  resolve_names(reading, request, found);
  finish_reading(input, reading);
}

// Sets the members that describe the file, and the digest for the idempotency key. A form and a
// plain file with the same content have the same digest.
void set_file(const operations::Input& input, Import& import, const FileIntake& intake) {
  import.file = intake.name();
  import.coding = intake.coding();
  import.bytes = intake.bytes();
  if (import.file_name.empty())
    import.file_name =
        std::format("{}.{}{}", import.type, import.options.format, extension_of(import.coding));
  input.upload().touch();
  input.upload().set_digest(
      sha256(std::format("{}\n{}\n{}\n{}\n{}", import.type, options_json().to_json(import.options),
                         import.file_name, import.coding, to_hex(intake.sha256()))));
}

// Reads the query parameters as if they were the parts of a form.
ImportRequest request_in_query(const operations::Input& input) {
  ImportRequest request;
  request.content_type = input.upload().media_type();
  json::Writer options;
  options.begin_object();
  for (const auto& parameter : input.operation().description.parameters) {
    const auto value = input.parameter(parameter.name);
    if (!value) continue;
    if (parameter.name == "type") {
      request.type = *value;
    } else if (parameter.schema.type == "boolean") {
      options.key(parameter.name).boolean(*value == "true");
    } else {
      options.key(parameter.name).text(*value);
    }
  }
  options.end();
  request.options = options.finish();
  return request;
}

awaitable<Import> receive_alone(operations::Input input, FileIntake& intake) {
  json::Reading reading;
  const ImportRequest request = request_in_query(input);
  Import import = checked(input, reading, request);
  ImportRequest plain = request;
  plain.options.reset();
  json::Reading ignored;
  if (read_request(ignored, plain).options.format != import.options.format) {
    const json::Reading::Place place{reading, "options"};
    reading.refuse_at("format", "conflicts-with", "Contradicts the Content-Type.");
    finish_reading(input, reading);
  }
  co_await check_names(input, import);
  co_await intake.begin(input.upload().coding());
  while (true) {
    std::string block = co_await input.upload().read();
    if (block.empty()) break;
    co_await intake.add(std::move(block));
  }
  co_await intake.finish();
  set_file(input, import, intake);
  co_return import;
}

class Form {
 public:
  Form(operations::Input input, FileIntake& intake) : input_{input}, intake_{intake} {}

  awaitable<Import> receive() {
    refuse_parameters();
    operations::Upload& upload = input_.upload();
    while (const auto part = co_await upload.next_part()) {
      co_await begin_part(*part);
      while (true) {
        std::string block = co_await upload.read();
        if (block.empty()) break;
        co_await add(std::move(block));
      }
    }
    co_return co_await finished();
  }

 private:
  // Refuses query parameters beside a form: it would be unclear which of two values counts.
  void refuse_parameters() const {
    std::vector<Fault> faults;
    for (const auto& parameter : input_.operation().description.parameters) {
      if (input_.parameter(parameter.name))
        faults.push_back(
            {Fault::Where::parameter, parameter.name, "conflicts-with",
             "Is only allowed if the body is the file itself; use a part of the form."});
    }
    if (!faults.empty())
      throw Problem{Code::invalid_parameter, "A form takes no query parameters.",
                    std::move(faults)};
  }

  awaitable<void> begin_part(operations::Upload::Part part) {
    into_ = nullptr;
    in_file_ = false;
    const auto again = [&] { reading_.refuse_at(part.name, "duplicate", "Appears twice."); };
    if (part.name == "file") {
      if (intake_.begun()) co_return again();
      request_.file_name = part.file_name.value_or("");
      request_.content_type = part.content_type;
      if (request_.type && request_.options)
        co_await check_names(input_, checked(input_, reading_, request_));
      in_file_ = true;
      co_await intake_.begin("none");
    } else if (part.name == "type" || part.name == "options") {
      auto& member = part.name == "type" ? request_.type : request_.options;
      if (member) co_return again();
      into_ = &member.emplace();
    } else {
      reading_.refuse_at(part.name, "unknown-member",
                         "There is no such part; the parts are type, options and file.");
    }
  }

  awaitable<void> add(std::string data) {
    if (in_file_) co_return co_await intake_.add(std::move(data));
    field_bytes_ += data.size();
    if (field_bytes_ > limits::kFormFieldBytes)
      throw Problem{
          Code::body_too_large,
          std::format("The parts other than the file exceed {} bytes.", limits::kFormFieldBytes)};
    if (into_ != nullptr) *into_ += data;
  }

  awaitable<Import> finished() {
    if (!intake_.begun()) reading_.refuse_at("file", "required", "Is missing.");
    Import import = checked(input_, reading_, request_);
    co_await intake_.finish();
    set_file(input_, import, intake_);
    co_return import;
  }

  operations::Input input_;
  FileIntake& intake_;
  json::Reading reading_;
  ImportRequest request_;
  std::string* into_ = nullptr;  // text of the form part being read
  bool in_file_ = false;
  std::size_t field_bytes_ = 0;
};

}  // namespace

awaitable<Import> receive(operations::Input input, FileIntake& intake) {
  if (!input.upload().is_form()) co_return co_await receive_alone(input, intake);
  Form form{input, intake};
  co_return co_await form.receive();
}

void finish_reading(const operations::Input& input, const json::Reading& reading) {
  try {
    reading.finish();
  } catch (const Problem& problem) {
    if (input.upload().is_form()) throw;
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

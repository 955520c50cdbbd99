#include "app/session/remote_connection.h"

#include <format>

#include "base/limits.h"
#include "base/percent.h"
#include "base/text.h"

namespace shopbell::app {

namespace {

// Returns the path of a call: parameters in braces are replaced.
std::string path_of(const operations::Operation& operation, const Arguments& arguments) {
  std::string path = operation.path;
  for (const auto& [name, value] : arguments.path) {
    const std::string place = std::format("{{{}}}", name);
    if (const auto at = path.find(place); at != std::string::npos)
      path.replace(at, place.size(), percent_encode(value));
  }
  char separator = '?';
  for (const auto& [name, value] : arguments.query) {
    path += std::format("{}{}={}", separator, name, percent_encode(value));
    separator = '&';
  }
  return path;
}

std::string text_at(const json::Value& object, std::string_view name) {
  const auto member = object.member(name);
  return member && member->type() == json::Type::text ? std::string{member->text()} : "";
}

Fault fault_of(const json::Value& error) {
  for (const auto& [member, where] :
       {std::pair{"parameter", Fault::Where::parameter}, std::pair{"header", Fault::Where::header}})
    if (error.member(member))
      return {where, text_at(error, member), text_at(error, "code"), text_at(error, "detail")};
  return {Fault::Where::pointer, text_at(error, "pointer"), text_at(error, "code"),
          text_at(error, "detail")};
}

// Returns the refusal in a response that is not a success.
Refusal refusal_of(const net::Answer& answer, const std::string& url) {
  const auto document = json::Document::parse(answer.body);
  if (!document || text_at(document->root(), "code").empty())
    return {"unknown",
            std::format("{} answered with status {} and no explanation; is it the API of Shopbell?",
                        url, answer.status),
            {}};
  std::vector<Fault> faults;
  if (const auto errors = document->root().member("errors"))
    errors->for_each(
        [&](std::string_view, const json::Value& error) { faults.push_back(fault_of(error)); });
  return {text_at(document->root(), "code"), text_at(document->root(), "detail"),
          std::move(faults)};
}

}  // namespace

RemoteConnection::RemoteConnection(std::string url, std::string key)
    : url_{std::move(url)}, key_{std::move(key)}, client_{loop_, {}} {
  while (url_.ends_with('/')) url_.pop_back();
  if (!is_web_url(url_))
    throw std::runtime_error{
        "SHOPBELL_URL is not an http or https URL, such as https://shopbell.example"};
}

operations::Output RemoteConnection::invoke(const operations::Operation& operation,
                                            Arguments arguments) {
  net::Request request{.method = std::string{operations::name_of(operation.method)},
                       .url = url_ + path_of(operation, arguments),
                       .headers = {{"Authorization", "Bearer " + key_}},
                       .answer_bytes_max = std::size_t{64} * limits::kBodyBytes};
  if (!arguments.body.empty()) {
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = std::move(arguments.body);
  }
  const auto answer = runtime::run_to_end(loop_, client_.request(std::move(request)));
  if (!answer)
    throw std::runtime_error{
        std::format("the API at {} cannot be reached: {}", url_, answer.error().detail)};
  if (answer->status < 200 || answer->status > 299) throw refusal_of(*answer, url_);
  return operations::Output::json(answer->body);
}

}  // namespace shopbell::app

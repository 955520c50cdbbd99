// RemoteConnection: calls the operations of one account over HTTP, with an API key.
#pragma once

#include <string>

#include <boost/asio/io_context.hpp>

#include "app/session/account_connection.h"
#include "net/http_client.h"

namespace shopbell::app {

class RemoteConnection final : public AccountConnection {
 public:
  // `url` is the address of the API, such as "https://shopbell.example". Throws std::runtime_error
  // if it is not an http or https URL.
  RemoteConnection(std::string url, std::string key);

 private:
  operations::Output invoke(const operations::Operation& operation, Arguments arguments) override;

  std::string url_;
  const std::string key_;
  boost::asio::io_context loop_;
  net::HttpClient client_;
};

}  // namespace shopbell::app

// NameServer: a DNS server on port 53 whose answers can change from one query to the next.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace shopbell::proofs {

class NameServer {
 public:
  // IPv4 and IPv6 addresses in the order of the answer. If the first entry is "=name", the answer
  // is a CNAME of that name.
  using Records = std::vector<std::string>;

  NameServer();
  ~NameServer();
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;

  // Sets the answers for a name. The n-th query of an address type gets the n-th records; the last
  // ones repeat.
  void tell(const std::string& name, std::vector<Records> turns);

  std::size_t questions() const { return questions_; }

 private:
  void serve();
  std::string answer(const std::string& question);
  Records next(const std::string& name, std::uint16_t type);

  int socket_;
  std::mutex mutex_;
  std::map<std::string, std::vector<Records>> turns_;
  std::map<std::pair<std::string, std::uint16_t>, std::size_t> asked_;
  std::atomic<std::size_t> questions_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace shopbell::proofs

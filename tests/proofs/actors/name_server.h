// NameServer: DNS on port 53, whose answers can change from one question to the next.
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
  // Addresses of both kinds in the order they are told; "=name" before them: as those of that name.
  using Records = std::vector<std::string>;

  NameServer();
  ~NameServer();
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;

  // The first question for a kind of address gets the first of them, and so on; the last one stays.
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

// WebhookSite: the receiver of tests/proofs/actors/webhook_receiver.mjs as a proof uses it: endpoints are
// made at the service and its secrets told to the receiver; what arrived is read from its file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "testing/process.h"
#include "tests/proofs/actors/fleet.h"

namespace shopbell::proofs {

struct Arrival {
  std::string path;
  std::string id;  // webhook-id
  std::int64_t sequence = 0;
  std::int64_t at_ms = 0;  // since 1970
  bool is_signed = false;
  int status = 0;  // it is answered with; 0: with none

  bool heard() const { return status / 100 == 2; }
};

class WebhookSite {
 public:
  WebhookSite(const std::filesystem::path& checkout, std::chrono::milliseconds slowest);
  ~WebhookSite();
  WebhookSite(const WebhookSite&) = delete;
  WebhookSite& operator=(const WebhookSite&) = delete;

  // What lets a service call it.
  std::map<std::string, std::string> environment() const;

  // An endpoint at that path that wants the events of the type `ring`; its id.
  std::string create_endpoint(const Fleet& fleet, const std::string& key, const std::string& path);

  // In the order in which they came.
  std::vector<Arrival> arrivals() const;

 private:
  std::filesystem::path directory_;
  std::unique_ptr<testing::Process> receiver_;
  std::string port_;
  std::string target_port_;  // where a redirect points to
  std::string control_port_;
};

// Whether a webhook may be called, as the service says.
std::string status_of_endpoint(const Fleet& fleet, const std::string& key, const std::string& id);
void set_endpoint_status(const Fleet& fleet, const std::string& key, const std::string& id,
                         const std::string& status);

}  // namespace shopbell::proofs

#include <atomic>
#include <format>
#include <mutex>
#include <thread>

#include "base/limits.h"
#include "tests/proofs/actors/frozen_backends.h"
#include "tests/proofs/proofs/isolation.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;

constexpr int kWritersPerTenant = 4;
constexpr std::string_view kPath = "/contacts/external-id/deadline";

class Writers {
 public:
  Writers(const Stage& stage, std::span<const Tenant> tenants) : stage_{stage}, tenants_{tenants} {
    for (const Tenant& tenant : tenants_)
      for (int i = 0; i < kWritersPerTenant; ++i)
        threads_.emplace_back([this, &tenant] { write(tenant); });
  }

  TimedOutWrites stop() {
    stopping_ = true;
    threads_.clear();
    RawClient client{stage_.host_port()};
    for (const Tenant& tenant : tenants_) {
      client.send(wire_of(request(tenant, "GET", "")));
      check(tenant, client.read());
    }
    return result_;
  }

 private:
  static Ask request(const Tenant& tenant, const std::string& method, const std::string& body) {
    return {.method = method,
            .path = std::string{kPath} + (body.empty() ? "" : "?createContact=true"),
            .body = body,
            .headers = {{"Authorization", "Bearer " + tenant.account.key},
                        {"Content-Type", "application/json"}}};
  }

  void write(const Tenant& tenant) {
    RawClient client{stage_.host_port()};
    for (int i = 0; !stopping_; ++i) {
      client.send(
          wire_of(request(tenant, "PATCH",
                          std::format(R"({{"firstName":"{}","lastName":"{}"}})", tenant.mark, i))));
      const Reply reply = client.read(false, 3 * limits::kRequestDeadline);
      check(tenant, reply);
      if (!client.usable()) client = RawClient{stage_.host_port()};
    }
  }

  // A tenant sees its own mark, or is told to retry.
  void check(const Tenant& tenant, const Reply& reply) {
    const std::scoped_lock lock{mutex_};
    ++result_.answered;
    if (reply.answered() && reply.status == 503) {
      ++result_.timed_out;
    } else if (!reply.answered() || reply.status >= 300 || !reply.body.contains(tenant.mark)) {
      result_.wrong.push_back(std::format("{}: {}", tenant.name, reply.brief()));
    }
  }

  const Stage& stage_;
  const std::span<const Tenant> tenants_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;  // guards result_
  TimedOutWrites result_;
  std::vector<std::jthread> threads_;
};

}  // namespace

TimedOutWrites write_past_deadlines(const Setting& setting, const Stage& stage,
                                    std::span<const Tenant> tenants) {
  std::mt19937_64 random{setting.seed};
  Writers writers{stage, tenants.first(2)};
  for (int round = 0; round < (setting.quick ? 1 : 10); ++round) {
    progress(std::format("isolation: backends freeze, round {}", round + 1));
    std::this_thread::sleep_for(std::chrono::milliseconds{200 + random() % 300});
    freeze_backends(stage.installation().admin_url(), random);
  }
  std::this_thread::sleep_for(1s);
  return writers.stop();
}

}  // namespace shopbell::proofs

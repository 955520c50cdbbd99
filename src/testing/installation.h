// Installation: a PostgreSQL of its own and a Shopbell on it, made as an operator makes them:
// tools/services, then `shopbell init`, `account create`, `key create`, `run`. For tests and proofs
// that break things.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "testing/process.h"

namespace shopbell::testing {

class Installation {
 public:
  // `binary` is the shopbell to run; `checkout` where tools/ is.
  Installation(std::filesystem::path checkout, std::filesystem::path binary);
  ~Installation();

  // What is run and started from now on.
  void use_binary(std::filesystem::path binary) { binary_ = std::move(binary); }

  // An account with a key for everything; the key's text.
  std::string create_key(const std::string& store_name);

  // The same, without a limit on requests in the way of a proof.
  std::string create_unlimited_key(const std::string& store_name);
  // The same, of an account that may make no more requests than that.
  std::string create_limited_key(const std::string& store_name, int per_second, int burst);
  // The service's database, as the server's administrator.
  const std::string& admin_url() const { return admin_url_; }
  std::filesystem::path config_file() const { return directory_ / "home/shopbell.toml"; }

  // PostgreSQL stops as after a crash; and comes back on the same port.
  void crash_database();
  void resume_database();

  // Whether there is a server process at all, ready or not.
  bool database_runs() const;

  // PostgreSQL's data and its WAL go to a file system each, of so many MiB. Nobody is connected
  // meanwhile. From then on each can be filled to the last byte, and emptied of what filled it.
  enum class Disk { data, wal };
  void confine_database(int data_mib, int wal_mib);
  void fill(Disk disk) const;
  void make_room(Disk disk) const;

  // Every service that is started from now on keeps its files in an S3 server; which is stopped,
  // and comes back with what it held.
  void use_s3();
  void halt_s3();
  void resume_s3();

  // Every service that is started from now on has an Apache Kafka of so many nodes, which are
  // killed, and come back with what they held.
  void use_kafka(int nodes);
  const std::string& brokers() const { return environment_.at("SHOPBELL_KAFKA_BROKERS"); }
  void kill_kafka(int node);
  void resume_kafka(int node);

  struct Service {
    std::unique_ptr<Process> process;
    std::string host;
    std::string port;
    std::string private_port;
  };
  // A `shopbell run` that listens; `environment` overrides settings.
  Service start_service(const std::map<std::string, std::string>& environment = {});

  // Copies the services' logs to where they outlive the installation; says where.
  std::filesystem::path keep_logs() const;

 private:
  void take_settings(const std::string& file);
  void services(const std::string& what, const std::vector<std::string>& more = {}) const;
  std::string shopbell(std::vector<std::string> arguments) const;
  std::filesystem::path ballast(Disk disk) const;
  std::string create_account(const std::string& store_name) const;
  std::string create_key_of(const std::string& account) const;

  std::filesystem::path checkout_;
  std::filesystem::path binary_;
  std::filesystem::path directory_;
  std::string admin_url_;
  std::map<std::string, std::string> environment_;  // of every service
  bool confined_ = false;
  int services_started_ = 0;
};

}  // namespace shopbell::testing

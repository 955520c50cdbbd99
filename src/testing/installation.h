// Installation: a PostgreSQL server and a Shopbell on it, set up as an operator does:
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
  using Variables = std::map<std::string, std::string>;
  // Environment variables of the processes that it starts.
  struct Environment {
    Variables servers;   // of PostgreSQL, S3 and Kafka
    Variables shopbell;  // of commands and services
  };

  // `binary` is the shopbell executable; `checkout` contains tools/.
  Installation(std::filesystem::path checkout, std::filesystem::path binary,
               Environment environment = {});
  ~Installation();

  // Uses another executable from now on.
  void use_binary(std::filesystem::path binary) { binary_ = std::move(binary); }

  // Creates an account and a key with all scopes; returns the key.
  std::string create_key(const std::string& store_name);

  // Creates an account and a key without a rate limit.
  std::string create_unlimited_key(const std::string& store_name);
  // Creates an account and a key of its test account, both without a rate limit.
  std::string create_unlimited_test_key(const std::string& store_name);
  // Creates an account and a key with this rate limit.
  std::string create_limited_key(const std::string& store_name, int per_second, int burst);
  // The URL of the service's database, as the server's administrator.
  const std::string& admin_url() const { return admin_url_; }
  std::filesystem::path config_file() const { return directory_ / "home/shopbell.toml"; }

  // Stops PostgreSQL as in a crash, and restarts it on the same port.
  void crash_database();
  void resume_database();

  // True if a server process exists, ready or not.
  bool database_runs() const;

  // The CPU time that PostgreSQL has used since its start.
  double database_cpu_seconds() const;

  // Moves PostgreSQL's data and WAL to file systems of that many MiB; nothing may be connected
  // meanwhile. fill() then fills one to the last byte, and make_room() frees that space again.
  enum class Disk { data, wal };
  void confine_database(int data_mib, int wal_mib);
  void fill(Disk disk) const;
  void make_room(Disk disk) const;

  // Services started from now on store files on an S3 server, which can be stopped and restarted
  // with its data.
  void use_s3();
  void halt_s3();
  void resume_s3();

  // Services started from now on use an Apache Kafka cluster of that many nodes, which can be
  // killed and restarted with their data.
  void use_kafka(int nodes);
  const std::string& brokers() const { return settings_.at("SHOPBELL_KAFKA_BROKERS"); }
  void kill_kafka(int node);
  void resume_kafka(int node);

  struct Service {
    std::unique_ptr<Process> process;
    std::string host;
    std::string port;
    std::string private_port;
  };
  // Starts `shopbell run` and waits until it listens; `environment` overrides settings.
  Service start_service(const Variables& environment = {});

  // Copies the services' logs to a directory that outlives the installation, and returns it.
  std::filesystem::path keep_logs() const;

 private:
  std::string database_id() const;
  void take_settings(const std::string& file);
  void services(const std::string& what, const std::vector<std::string>& more = {}) const;
  std::string shopbell(std::vector<std::string> arguments) const;
  std::filesystem::path ballast(Disk disk) const;
  struct Accounts {
    std::string live;
    std::string test;
  };
  Accounts create_accounts(const std::string& store_name) const;
  std::string create_key_of(const std::string& account) const;

  std::filesystem::path checkout_;
  std::filesystem::path binary_;
  Environment environment_;
  std::filesystem::path directory_;
  std::string admin_url_;
  Variables settings_;  // of every service
  bool confined_ = false;
  int services_started_ = 0;
};

}  // namespace shopbell::testing

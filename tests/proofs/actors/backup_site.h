// BackupSite: an operator's backup host. It runs the scripts of deploy/backup, keeps the backups,
// and restores servers from them, following docs/run/backups.md.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pg/script.h"
#include "testing/installation.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

class BackupSite {
 public:
  // Turns on WAL archiving, which restarts PostgreSQL.
  BackupSite(const Setting& setting, const testing::Installation& installation);
  // Stops the restored servers.
  ~BackupSite();
  BackupSite(const BackupSite&) = delete;
  BackupSite& operator=(const BackupSite&) = delete;

  // Each of these makes a backup and returns the path of its file or directory.
  std::filesystem::path base_backup() const;
  std::filesystem::path dump() const;
  std::filesystem::path keep_files() const;  // backs up configuration, keyring and stored files

  // Waits until all WAL written so far is archived.
  void await_wal(pg::Script& database) const;

  struct Server {
    // Administrator URL of the service's database on this server.
    std::string admin_url;
    // Settings of a service that runs on this server.
    std::map<std::string, std::string> environment;
  };
  Server load(const std::string& name, const std::filesystem::path& dumped,
              const std::filesystem::path& files);
  Server recover(const std::string& name, const std::filesystem::path& base,
                 const std::filesystem::path& files, const std::string& time);

 private:
  std::string shell(std::string_view script, const std::vector<std::string>& arguments = {}) const;
  Server server_of(const std::string& name, const std::string& admin) const;

  std::filesystem::path checkout_;
  std::filesystem::path installation_;  // the installation's directory
  std::filesystem::path site_;
  std::string admin_;  // the first server's administrator URL, as in SHOPBELL_ADMIN
  std::vector<std::string> servers_;
};

}  // namespace shopbell::proofs

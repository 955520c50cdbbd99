// BackupSite: where an operator keeps backups: the scripts of deploy/backup in a place of their
// own, what they have kept, and servers made from it again. Everything goes as docs/run/backups.md
// says.
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
  // PostgreSQL's WAL is kept from now on, for which it is restarted.
  BackupSite(const Setting& setting, const testing::Installation& installation);
  // Stops the servers that were made here.
  ~BackupSite();
  BackupSite(const BackupSite&) = delete;
  BackupSite& operator=(const BackupSite&) = delete;

  // Each says what it made.
  std::filesystem::path base_backup() const;
  std::filesystem::path dump() const;
  std::filesystem::path keep_files() const;  // what the installation has beside its database

  // Until all that was written so far is among the kept WAL.
  void await_wal(pg::Script& database) const;

  struct Server {
    std::string admin_url;                           // of the service's database
    std::map<std::string, std::string> environment;  // of a service that is to run on it
  };
  Server load(const std::string& name, const std::filesystem::path& dumped,
              const std::filesystem::path& files);
  Server recover(const std::string& name, const std::filesystem::path& base,
                 const std::filesystem::path& files, const std::string& time);

 private:
  std::string shell(std::string_view script, const std::vector<std::string>& arguments = {}) const;
  Server server_of(const std::string& name, const std::string& admin) const;

  std::filesystem::path checkout_;
  std::filesystem::path installation_;  // its directory
  std::filesystem::path site_;
  std::string admin_;  // the first server's, as an operator has it in SHOPBELL_ADMIN
  std::vector<std::string> servers_;
};

}  // namespace shopbell::proofs

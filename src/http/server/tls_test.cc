#include "http/server/tls.h"

#include <cstdlib>
#include <format>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace shopbell::http {
namespace {

class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    std::filesystem::create_directories(directory_);
    make("first");
    make("second");
    use("first");
  }
  ~TlsTest() override { std::filesystem::remove_all(directory_); }

  // Creates a key and a self-signed certificate.
  void make(const std::string& name) const {
    const std::string command = std::format(
        "cd '{}' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 2 "
        "-subj /CN={} -keyout {}.key -out {}.pem 2>openssl.log",
        directory_.string(), name, name, name);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  void put(const std::string& from, const std::filesystem::path& to) const {
    std::filesystem::copy_file(directory_ / from, to,
                               std::filesystem::copy_options::overwrite_existing);
  }
  void use(const std::string& name) const {
    put(name + ".pem", certificate_);
    put(name + ".key", key_);
  }

  std::string refusal() const {
    try {
      const Tls tls{certificate_, key_};
    } catch (const TlsError& error) {
      return error.what();
    }
    return "taken";
  }

  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / std::format("tls-{}", ::getpid());
  const std::filesystem::path certificate_ = directory_ / "certificate.pem";
  const std::filesystem::path key_ = directory_ / "key.pem";
};

TEST_F(TlsTest, reports_which_file_cannot_be_used_and_why) {
  EXPECT_EQ(refusal(), "taken");
  std::filesystem::remove(key_);
  EXPECT_EQ(refusal(),
            std::format("the TLS key {} cannot be read: No such file or directory", key_.string()));
  std::ofstream{key_}.flush();
  EXPECT_EQ(refusal(), std::format("the TLS key {} cannot be read: it is empty", key_.string()));
  put("second.key", key_);
  EXPECT_EQ(refusal(),
            std::format("the TLS key {} cannot be used: key values mismatch", key_.string()));
  std::ofstream{certificate_} << "nonsense\n";
  EXPECT_TRUE(refusal().starts_with(
      std::format("the TLS certificate {} cannot be used: ", certificate_.string())))
      << refusal();
  std::filesystem::remove(certificate_);
  std::filesystem::create_directory(certificate_);
  EXPECT_EQ(refusal(), std::format("the TLS certificate {} cannot be read: Is a directory",
                                   certificate_.string()));
}

TEST_F(TlsTest, does_not_ask_for_a_password) {
  const std::string command =
      std::format("cd '{}' && openssl pkcs8 -topk8 -passout pass:hush -in first.key -out key.pem",
                  directory_.string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(refusal().contains("cannot be used")) << refusal();
}

TEST_F(TlsTest, reloads_changed_files_once_they_are_stable) {
  Tls tls{certificate_, key_};
  const auto first = tls.context();
  tls.check_files();
  tls.check_files();
  EXPECT_EQ(tls.context(), first);
  use("second");
  tls.check_files();
  EXPECT_EQ(tls.context(), first);
  tls.check_files();
  const auto second = tls.context();
  EXPECT_NE(second, first);
  tls.check_files();
  EXPECT_EQ(tls.context(), second);
}

TEST_F(TlsTest, waits_until_the_key_is_replaced_too) {
  Tls tls{certificate_, key_};
  const auto first = tls.context();
  put("second.pem", certificate_);
  tls.check_files();
  put("second.key", key_);
  tls.check_files();
  EXPECT_EQ(tls.context(), first);
  tls.check_files();
  EXPECT_NE(tls.context(), first);
}

TEST_F(TlsTest, keeps_the_old_context_until_the_new_files_are_valid) {
  Tls tls{certificate_, key_};
  const auto first = tls.context();
  std::filesystem::remove(key_);
  tls.reload();
  EXPECT_EQ(tls.context(), first);
  put("second.key", key_);
  tls.reload();
  EXPECT_EQ(tls.context(), first);
  put("second.pem", certificate_);
  tls.reload();
  EXPECT_NE(tls.context(), first);
}

TEST_F(TlsTest, provides_contexts_while_reloading) {
  Tls tls{certificate_, key_};
  std::vector<std::jthread> loops;
  for (int i = 0; i < 3; ++i) {
    loops.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) EXPECT_NE(tls.context(), nullptr);
    });
  }
  for (int i = 0; i < 10; ++i) tls.reload();
}

}  // namespace
}  // namespace shopbell::http

// store_keys KEYRING COUNT: makes API keys for bench/intake. Prints a line for each: the key, its
// hash as it is stored, and its hint. The caller inserts them into the database.
#include <cstdio>
#include <cstdlib>

#include "base/digest.h"
#include "keyring/keyring.h"
#include "resources/keys/key.h"

namespace keyring = shopbell::keyring;
namespace keys = shopbell::keys;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("store_keys KEYRING COUNT\n", stderr);
    return 2;
  }
  const auto keyring = keyring::Keyring::load(argv[1]);
  const long count = std::atol(argv[2]);
  for (long i = 0; i < count; ++i) {
    const auto token = keys::Token::create(keys::Mode::live);
    const std::string hash = shopbell::to_hex(keyring.hash(keyring::Purpose::api_keys, token.text));
    std::printf("%s %s %s\n", token.text.c_str(), hash.c_str(), token.hint().c_str());
  }
}

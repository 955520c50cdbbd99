#include "tests/proofs/actors/ssrf_tricks.h"

#include <array>
#include <format>
#include <ranges>

#include "base/ip.h"

namespace shopbell::proofs {

namespace {

// Internal networks. The list is independent of the tested code, so that it can find gaps there.
constexpr std::array kInnerV4{
    "0.0.0.0/8",      "10.0.0.0/8",     "100.64.0.0/10",      "127.0.0.0/8",
    "169.254.0.0/16", "172.16.0.0/12",  "192.0.0.0/24",       "192.0.2.0/24",
    "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",      "198.51.100.0/24",
    "203.0.113.0/24", "224.0.0.0/4",    "240.0.0.0/4",        "169.254.169.254/32",
    "127.0.0.1/32",   "0.0.0.0/32",     "100.100.100.200/32", "168.63.129.16/32"};
constexpr std::array kInnerV6{
    "::/128",         "::1/128",   "::/96",     "::ffff:0:0/96", "64:ff9b::/96",
    "64:ff9b:1::/48", "100::/64",  "2001::/32", "2001:20::/28",  "2001:db8::/32",
    "2002::/16",      "3fff::/20", "5f00::/16", "fc00::/7",      "fd00:ec2::254/128",
    "fe80::/10",      "fec0::/10", "ff00::/8"};

// Returns an address in the network, with random host bits.
std::string address_in(std::string_view network, std::mt19937_64& random) {
  const std::size_t slash = network.find('/');
  const Ip start = Ip::parse(network.substr(0, slash)).value();
  const int bits = std::stoi(std::string{network.substr(slash + 1)});
  std::vector<std::uint8_t> bytes{start.bytes().begin(), start.bytes().end()};
  for (int i = bits; i < std::ssize(bytes) * 8; ++i) {
    std::uint8_t& byte = bytes[static_cast<std::size_t>(i / 8)];
    if (random() % 2 == 0) byte = static_cast<std::uint8_t>(byte ^ (0x80U >> (i % 8)));
  }
  if (start.is_v4()) return Ip::v4(std::span{bytes}.first<4>()).text();
  return Ip::v6(std::span{bytes}.first<16>()).text();
}

std::vector<std::string> addresses_in(std::span<const char* const> networks,
                                      std::mt19937_64& random) {
  std::vector<std::string> addresses;
  for (const auto* network : networks) addresses.push_back(address_in(network, random));
  return addresses;
}

// Returns spellings of an IPv4 address that some URL parser accepts as a host.
std::vector<std::string> spellings(const std::string& dotted) {
  const Ip address = Ip::parse(dotted).value();
  const auto byte = address.bytes();
  const std::uint32_t a = byte[0];
  const std::uint32_t b = byte[1];
  const std::uint32_t c = byte[2];
  const std::uint32_t d = byte[3];
  const std::uint32_t whole = a << 24 | b << 16 | c << 8 | d;
  std::string percent;
  std::string wide;
  for (const char digit : dotted) {
    percent += std::format("%{:02x}", digit);
    wide += digit == '.' ? "\xe3\x80\x82"
                         : std::format("\xef\xbc{}", static_cast<char>(0x90 + digit - '0'));
  }
  const auto halves = std::format("{:x}:{:x}", whole >> 16, whole & 0xffff);
  return {dotted,
          std::format("{}", whole),
          std::format("0x{:x}", whole),
          std::format("0X{:08X}", whole),
          std::format("0{:o}", whole),
          std::format("0{:o}.0{:o}.0{:o}.0{:o}", a, b, c, d),
          std::format("0x{:x}.0x{:x}.0x{:x}.0x{:x}", a, b, c, d),
          std::format("0x{:x}.{}.0{:o}.{}", a, b, c, d),
          std::format("{}.{}.{}", a, b, c << 8 | d),
          std::format("{}.{}", a, whole & 0xffffff),
          std::format("{}.{}.{}.{:03}", a, b, c, d),
          dotted + ".",
          percent,
          wide,
          std::format("shop.example@{}", dotted),
          std::format("shop.example:80@{}", dotted),
          std::format("{}#@shop.example", dotted),
          std::format("{}\\@shop.example", dotted),
          std::format("{}%00.shop.example", dotted),
          std::format("[::ffff:{}]", dotted),
          std::format("[::FFFF:{}]", halves),
          std::format("[0:0:0:0:0:ffff:{}]", dotted),
          std::format("[::{}]", halves),
          std::format("[64:ff9b::{}]", halves),
          std::format("[2002:{}::1]", halves),
          std::format("[::ffff:{}%25lo]", dotted)};
}

std::vector<Trick> spelled_addresses(std::mt19937_64& random) {
  std::vector<Trick> tricks;
  for (const auto& address : addresses_in(kInnerV4, random)) {
    for (const auto& host : spellings(address)) {
      tricks.push_back({std::format("{}://{}/", random() % 4 == 0 ? "https" : "http", host)});
    }
  }
  for (const auto& address : addresses_in(kInnerV6, random)) {
    const Ip parsed = Ip::parse(address).value();
    const auto byte = parsed.bytes();
    std::string full;
    for (std::size_t i = 0; i < 16; i += 2)
      full += std::format("{}{:02X}{:02x}", i == 0 ? "" : ":", byte[i], byte[i + 1]);
    for (const auto& host : {address, full, address + "%25lo", address + "%251"})
      tricks.push_back({std::format("{}://[{}]/", random() % 4 == 0 ? "https" : "http", host)});
  }
  return tricks;
}

std::vector<Trick> resolved_names(std::mt19937_64& random) {
  std::vector<Trick> tricks;
  const auto add = [&](NameServer::Records records) {
    const std::string name = std::format("n{}.shop.example", tricks.size());
    tricks.push_back({std::format("http://{}/", name), name, {std::move(records)}});
  };
  const std::string outside{kPublicV4};
  const std::string outside_v6{kPublicV6};
  const std::vector<std::string> inner = inner_addresses(random);
  for (const auto& address : inner) {
    add({address});
    add({outside, address});
    add({address, outside});
    add({outside_v6, std::string{kPublicV4Other}, address, outside});
    add({"=inside.shop.example", address});
    add({"=one.shop.example", "=two.shop.example", outside, address});
  }
  return tricks;
}

std::vector<Trick> ports_and_names() {
  std::vector<Trick> tricks;
  for (const auto port : {"8080", "6379", "22", "0", "81", "65616", "080x", "80:8080", "+80", ""}) {
    tricks.push_back({std::format("http://{}:{}/", kPublicV4, port)});
    tricks.push_back({std::format("http://[{}]:{}/", kPublicV6, port)});
    tricks.push_back({std::format("http://ports.shop.example:{}/", port),
                      "ports.shop.example",
                      {{std::string{kPublicV4}}}});
  }
  for (const auto host : {"localhost", "LOCALHOST", "localhost.", "a.localhost", "inside.local",
                          "metadata.google.internal", "inside", "router.home.arpa"}) {
    const std::string name{host};
    tricks.push_back({std::format("http://{}/", name), name, {{"10.0.0.5"}}});
  }
  for (const auto url :
       {"ftp://10.0.0.5/", "gopher://10.0.0.5:6379/_x", "file:///etc/passwd", "dict://10.0.0.5:80/",
        "HTTP://10.0.0.5/", "http:10.0.0.5", "//10.0.0.5/", "10.0.0.5", "http:///10.0.0.5/",
        "http:\\\\10.0.0.5/", " http://10.0.0.5/", "http://10.0.0.5\t/", "http://\t10.0.0.5/"}) {
    tricks.push_back({url});
  }
  return tricks;
}

}  // namespace

std::vector<std::string> inner_addresses(std::mt19937_64& random) {
  std::vector<std::string> both = addresses_in(kInnerV4, random);
  for (auto& address : addresses_in(kInnerV6, random)) both.push_back(std::move(address));
  return both;
}

std::vector<Trick> all_tricks(std::mt19937_64& random) {
  std::vector<Trick> tricks = spelled_addresses(random);
  for (auto& trick : resolved_names(random)) tricks.push_back(std::move(trick));
  for (auto& trick : ports_and_names()) tricks.push_back(std::move(trick));
  return tricks;
}

}  // namespace shopbell::proofs

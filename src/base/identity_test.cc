#include "base/identity.h"

#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/text.h"

namespace shopbell {
namespace {

// Texts that mix letters, marks, blanks and characters with unusual case folding.
rc::Gen<std::string> some_text() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "a",      "Z",  "ß",  "ẞ",      "İ", "ı",  "ü",      "Ü",      "u", "\u0308", "\u0345",
          "\u0301", "ΐ",  "ᾳ",  "Σ",      "ς", "ŉ",  "ǰ",      "K",      "Å", "ﬁ",      "Ⅳ",
          "각",     "ᄀ", "ᅡ",  "\u00a0", " ", "\t", "\u200b", "\u037e", "é", "E",      "日",
          "Ꭰ",      "ꭰ",  "🔔", ".",      "-", "1",  "١",      "+",      "x"})),
      [](const std::vector<std::string>& pieces) {
        std::string text;
        for (const auto& piece : pieces) text += piece;
        return text;
      });
}

std::string utf8(char32_t c) {
  if (c < 0x80) return {static_cast<char>(c)};
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x800) return {static_cast<char>(0xc0 | c >> 6), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xe0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0)};
}

// Every code point of planes 0 and 1, which contain the letters.
template <class Each>
void for_every_letter(Each each) {
  for (char32_t c = 0x20; c <= 0x1ffff; ++c) {
    if (c < 0xd800 || c > 0xdfff) each(utf8(c));
  }
}

TEST(EmailKey, is_equal_for_all_spellings_of_an_address) {
  for (const char* email : {"Müller@BÜCHER.example", "mu\u0308ller@bu\u0308cher.example",
                            "müller@xn--bcher-kva.example", "MÜLLER@XN--BCHER-KVA.Example",
                            "müller@ｂü\u00adcher.example"})
    EXPECT_EQ(email_key(email), "müller@xn--bcher-kva.example") << email;
  EXPECT_EQ(email_key("anna@bell。shop.example"), email_key("anna@bell.shop.example"));
  EXPECT_EQ(email_key("Anna.Bell+News@Shop.EXAMPLE"), "anna.bell+news@shop.example");
}

TEST(EmailKey, differs_for_different_addresses) {
  EXPECT_NE(email_key("anna@straße.example"), email_key("anna@strasse.example"));
  EXPECT_NE(email_key("annabell@shop.example"), email_key("anna.bell@shop.example"));
  EXPECT_NE(email_key("anna+a@shop.example"), email_key("anna@shop.example"));
  EXPECT_NE(email_key("ⅳ@shop.example"), email_key("iv@shop.example"));
}

TEST(EmailKey, accepts_unusual_hosts_that_exist) {
  for (const char* email : {"a@r3---sn.example", "a@xn--fa-hia.example", "a@1and1.example",
                            "a@mail.1und1.de", "a@παράδειγμα.example", "a@مثال.example"}) {
    EXPECT_TRUE(email_key(email)) << email;
  }
}

// Plain ASCII hosts take a fast path; an ideographic full stop forces the slow path.
TEST(EmailKey, is_equal_on_the_fast_and_the_slow_path) {
  EXPECT_TRUE(rc::check([] {
    std::string host;
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(
        std::vector<std::string>{"a", "B", "7", "-", "--", ".", "xn--", "bcher-kva", "shop"}));
    for (const auto& piece : pieces) host += piece;
    RC_ASSERT(email_key("a@" + host + ".b.example") == email_key("a@" + host + "。b.example"));
  }));
}

TEST(EmailKey, rejects_invalid_addresses) {
  for (const char* email : {"",
                            "anna",
                            "@shop.example",
                            "anna@shop",
                            "a b@shop.example",
                            "a@-shop.example",
                            "a@shop-.example",
                            "a@shop.example。",
                            "a@xn--a.example",
                            "a@xn--.example",
                            "a@\u2100.example",
                            "a@\u00ad.example",
                            "a@\u0308u.example",
                            "a@x\u200dy.example",
                            "a@\u0378.example",
                            "a\u00a0b@shop.example",
                            "a\u200bb@shop.example",
                            "\u0378@shop.example",
                            "a\u037eb@shop.example",
                            "\xff@shop.example",
                            "a@\xff.example"}) {
    EXPECT_FALSE(email_key(email)) << email;
  }
  EXPECT_TRUE(email_key("a@" + std::string(63, 'b') + ".example"));
  EXPECT_FALSE(email_key("a@" + std::string(64, 'b') + ".example"));
}

void expect_a_key(const std::string& email) {
  const auto key = email_key(email);
  if (!key) return;
  EXPECT_EQ(email_key(*key), key) << email;
  EXPECT_EQ(to_nfc(*key), key) << email;
  EXPECT_EQ(email_key(to_nfc(email).value()), key) << email;
}

TEST(EmailKey, is_idempotent_for_every_letter) {
  for_every_letter([](const std::string& c) { expect_a_key("a" + c + "@shop.example"); });
}

TEST(EmailKey, is_idempotent_for_every_letter_in_the_host) {
  for_every_letter([](const std::string& c) { expect_a_key("a@b" + c + "c.example"); });
}

TEST(EmailKey, is_idempotent_for_any_text) {
  EXPECT_TRUE(rc::check([] {
    const auto email = *some_text() + "@" + *some_text() + ".example";
    const auto key = email_key(email);
    if (!key) return;
    RC_ASSERT(email_key(*key) == key);
    RC_ASSERT(to_nfc(*key) == key);
    RC_ASSERT(is_email(*key));
  }));
}

TEST(SearchKey, removes_case_marks_and_extra_blanks) {
  EXPECT_EQ(search_key("Éva  MÜLLER"), "eva muller");
  EXPECT_EQ(search_key(" \t E\u0301va\u00a0\n Mu\u0308ller "), "eva muller");
  EXPECT_EQ(search_key("Straße ﬁn Ⅳ ΜΆΪΟΣ"), "strasse fin iv μαιοσ");
  EXPECT_EQ(search_key("Bell\u00ad\u200bshop"), "bellshop");
  EXPECT_EQ(search_key(""), "");
  EXPECT_EQ(search_key(" \u3000\u0301 "), "");
  EXPECT_EQ(search_key("a\xff z"), "a\ufffd z");
  EXPECT_EQ(search_key("\xe2\x81\u00ad\xac"), "\ufffd\ufffd");  // the stray bytes are not joined
}

TEST(SearchKey, finds_a_korean_name_by_its_first_letters) {
  EXPECT_TRUE(search_key("각").starts_with(search_key("가")));
}

void expect_a_search_key(const std::string& text) {
  const std::string key = search_key(text);
  EXPECT_EQ(search_key(key), key) << text;
  EXPECT_TRUE(is_utf8(key)) << text;
}

TEST(SearchKey, is_idempotent_for_every_letter) {
  for_every_letter([](const std::string& c) { expect_a_search_key("a" + c + " b"); });
}

TEST(SearchKey, is_idempotent_for_any_text) {
  EXPECT_TRUE(rc::check([] {
    const std::string key = search_key(*some_text());
    RC_ASSERT(search_key(key) == key);
    RC_ASSERT(!key.starts_with(' ') && !key.ends_with(' ') && !key.contains("  "));
  }));
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const std::string key = search_key(bytes);
    RC_ASSERT(is_utf8(key) && search_key(key) == key);
  }));
}

TEST(Phone, is_equal_for_all_spellings_of_a_number) {
  for (const char* text : {"+436641234567", "+43 664 123 45 67", "+43 (0) 664 / 123-45-67",
                           "(+43) 664.1234567", "＋４３ ６６４ １２３４５６７", "+٤٣ ٦٦٤ ١٢٣٤٥٦٧",
                           "\u202a+43 664\u00a01234567\u202c", "+43–664–1234567"}) {
    for (const char* country : {"", "AT", "US", "no country"})
      EXPECT_EQ(to_e164(text, country), "+436641234567") << text << ' ' << country;
  }
  for (const char* text : {"0664 1234567", "(0664) 123-45-67", "0043 664 1234567"})
    EXPECT_EQ(to_e164(text, "AT"), "+436641234567") << text;
  EXPECT_EQ(to_e164("011 43 664 1234567", "US"), "+436641234567");
  EXPECT_EQ(to_e164("06 6988 3333", "IT"),
            "+390669883333");  // Italian numbers keep the leading zero
  EXPECT_EQ(to_e164("(650) 253-0000", "US"), "+16502530000");
}

TEST(Phone, needs_a_country_for_a_national_number) {
  for (const char* country : {"", "ZZ", "001", "at", "A", "AUT", "A\xff", "XX"})
    EXPECT_FALSE(to_e164("0664 1234567", country)) << country;
  EXPECT_FALSE(to_e164("+0664 1234567", "AT"));
}

TEST(Phone, accepts_an_international_number_of_a_possible_length) {
  EXPECT_EQ(to_e164("+1 200 555 0123", ""), "+12005550123");  // area code 200 is not assigned
  EXPECT_FALSE(to_e164("200 555 0123", "US"));
  EXPECT_FALSE(to_e164("+1 200 555 01234", ""));
  EXPECT_FALSE(to_e164("+1 253 0000", ""));       // a local number without area code
  EXPECT_FALSE(to_e164("+999 12345678", ""));     // unassigned country code
  EXPECT_FALSE(to_e164("+430000006641234", ""));  // would have a second canonical form
}

TEST(Phone, rejects_invalid_numbers) {
  for (const char* text :
       {"", " ", "+", "++43 664 1234567", "+43 664 +1234567", "43+6641234567", "+4", "+43",
        "+43 664 1234567 x12", "+43 664 1234567 ext. 12", "+43 664 1234567#12",
        "+43 664 1234567;ext=12", "+43 664 1234567,12", "tel:+436641234567", "1-800-FLOWERS",
        "+43 664 1234567\xff", "+43 664 ½234567", "call +43 664 1234567", "none"}) {
    EXPECT_FALSE(to_e164(text, "US")) << text;
  }
  EXPECT_FALSE(to_e164({"+43664\0001234567", 14}, ""));
  EXPECT_TRUE(to_e164("+436641234567" + std::string(51, ' '), ""));
  EXPECT_FALSE(to_e164("+436641234567" + std::string(52, ' '), ""));
}

TEST(Phone, is_idempotent) {
  EXPECT_TRUE(rc::check([] {
    const auto country =
        *rc::gen::element("", "AT", "DE", "IT", "AR", "MX", "BR", "US", "RU", "CI");
    const auto digits = *rc::gen::container<std::string>(rc::gen::inRange('0', ':'));
    const auto e164 = to_e164((*rc::gen::arbitrary<bool>() ? "+" : "") + digits, country);
    if (!e164) return;
    RC_ASSERT(is_phone(*e164));
    RC_ASSERT(to_e164(*e164, "") == e164);
  }));
}

TEST(Phone, parsing_is_thread_safe) {
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          right += to_e164("0664 1234567", "AT") == "+436641234567" ? 1 : 0;
          right += to_e164("(650) 253-0000", "US") == "+16502530000" ? 1 : 0;
          right += to_e164("+39 06 6988 3333", "") == "+390669883333" ? 1 : 0;
          right += email_key("Müller@BÜCHER.example") == "müller@xn--bcher-kva.example" ? 1 : 0;
          right += search_key("Éva  MÜLLER") == "eva muller" ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(right, 4 * 50 * 5);
}

TEST(BirthDate, may_omit_the_year) {
  for (const char* text : {"1990-12-31", "2000-02-29", "--12-31", "--02-29", "--01-01"})
    EXPECT_TRUE(is_birth_date(text)) << text;
  for (const char* text :
       {"", "-", "--", "1990", "1990-2-1", "2001-02-29", "1900-02-29", "--02-30", "--13-01",
        "--00-10", "--04-31", "-12-31", "---12-31", "--12-31 ", "--12-31T00:00:00Z", "1990-12-31 ",
        "0000-01-01", "-990-12-31", "31.12.1990"}) {
    EXPECT_FALSE(is_birth_date(text)) << text;
  }
}

}  // namespace
}  // namespace shopbell

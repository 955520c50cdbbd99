#include "http/wire/multipart.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/problem.h"

namespace shopbell::http {
namespace {

struct Read {
  FormReader::Part part;
  std::string data;
  bool operator==(const Read&) const = default;
};

// Parses a form that arrives in pieces, split at these offsets.
std::vector<Read> read(const std::string& type, std::string_view body,
                       const std::vector<std::size_t>& cuts = {}) {
  FormReader reader{type};
  std::vector<Read> parts;
  const auto take_all = [&] {
    while (true) {
      const auto next = reader.next();
      if (next == FormReader::Next::more) return;
      if (next == FormReader::Next::part) parts.push_back({reader.part(), ""});
      if (next == FormReader::Next::data) parts.back().data += reader.take_data();
    }
  };
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    reader.feed(body.substr(from, cut - from));
    take_all();
    from = cut;
  }
  reader.feed(body.substr(from));
  take_all();
  reader.finish();
  return parts;
}

const std::string kType = "multipart/form-data; boundary=----b7";

const std::string kBody =
    "------b7\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\ncontacts\r\n"
    "------b7\t \r\ncontent-disposition: form-data; name=options\r\n"
    "Content-Type: application/json\r\n\r\n{}\r\n"
    "------b7\r\nContent-Disposition: form-data; name=\"empty\"\r\n\r\n\r\n"
    "------b7\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a \\\"b\\\".csv\"\r\n"
    "Content-Type: text/csv\r\n\r\nemail\r\n\r\n-----b\r\r\n------b\r\n\r\n------b7--\r\nthe rest";

std::vector<Read> sample() {
  return {{{"type", std::nullopt, ""}, "contacts"},
          {{"options", std::nullopt, "application/json"}, "{}"},
          {{"empty", std::nullopt, ""}, ""},
          {{"file", "a \"b\".csv", "text/csv"}, "email\r\n\r\n-----b\r\r\n------b\r\n"}};
}

TEST(FormReader, gives_the_same_parts_for_any_split_of_the_bytes) {
  EXPECT_EQ(read(kType, kBody), sample());
  for (std::size_t cut = 0; cut <= kBody.size(); ++cut)
    ASSERT_EQ(read(kType, kBody, {cut}), sample()) << cut;
  for (std::size_t size = 1; size < 40; ++size) {
    std::vector<std::size_t> cuts;
    for (std::size_t at = size; at < kBody.size(); at += size) cuts.push_back(at);
    ASSERT_EQ(read(kType, kBody, cuts), sample()) << size;
  }
}

std::string code(const std::string& type, const std::string& body) {
  try {
    read(type, body);
  } catch (const Problem& problem) {
    return kind_of(problem.code()).name;
  }
  return "none";
}

TEST(FormReader, refuses_a_truncated_form) {
  const std::size_t end = kBody.find("------b7--") + 10;
  for (std::size_t size = 0; size < end; ++size)
    ASSERT_EQ(code(kType, kBody.substr(0, size)), "malformed-form") << size;
  EXPECT_EQ(code(kType, kBody.substr(0, end)), "none");
}

TEST(FormReader, accepts_valid_boundaries_only) {
  const auto with = [](const std::string& boundary) {
    return code("multipart/form-data" + boundary, "--x--");
  };
  EXPECT_EQ(with("; boundary=x"), "none");
  EXPECT_EQ(with(" ; Boundary=\"x\";"), "none");
  EXPECT_EQ(with("; charset=utf-8; boundary=x"), "none");
  for (const char* boundary :
       {"", ";", "; boundary", "; boundary=", "; boundary=\"", "; boundary=\"x",
        "; boundary=\"x \"", "; boundary=x; boundary=x", "; boundary=\"a\r\nb\"", "; boundary=ü",
        "; boundary=x y=z", "; boundary=other"})
    EXPECT_EQ(with(boundary), "malformed-form") << boundary;
  EXPECT_EQ(with("; boundary=" + std::string(71, 'x')), "malformed-form");
  const std::string longest(70, 'x');
  EXPECT_EQ(code("multipart/form-data; boundary=" + longest, "--" + longest + "--"), "none");
}

std::string part_with(const std::string& headers) {
  return code(kType, "------b7\r\n" + headers + "\r\n\r\nx\r\n------b7--");
}

TEST(FormReader, refuses_malformed_parts) {
  const std::string named = "Content-Disposition: form-data; name=a";
  EXPECT_EQ(part_with(named), "none");
  EXPECT_EQ(part_with(named + "\r\nX-Other: y\r\nContent-Transfer-Encoding: binary"), "none");
  for (const std::string& headers :
       {std::string{}, std::string{"Content-Type: text/csv"}, std::string{"nonsense"},
        std::string{"Content-Disposition: attachment; name=a"},
        std::string{"Content-Disposition: form-data"},
        std::string{"Content-Disposition: form-data; name=\"\""},
        std::string{"Content-Disposition: form-data; name=\"a"},
        std::string{"Content-Disposition: form-data; name=a; name=b"},
        std::string{"Content-Disposition: form-data name=a"},
        std::string{"Content-Disposition : form-data; name=a"}, named + "\r\n" + named,
        named + "\r\n folded: y", named + "\r\nX: \x01", named + "\r\nX: a\nb",
        named + "; filename=\"\xff\"", named + "; filename*=latin1''x",
        named + "\r\nContent-Transfer-Encoding: base64",
        named + "\r\nX: " + std::string(limits::kFormHeaderBytes, 'y')})
    EXPECT_EQ(part_with(headers), "malformed-form") << headers.substr(0, 80);
}

TEST(FormReader, enforces_limits_while_bytes_arrive) {
  std::string many;
  for (std::size_t i = 0; i <= limits::kFormParts; ++i)
    many += "------b7\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n";
  EXPECT_EQ(code(kType, many + "------b7--"), "malformed-form");
  EXPECT_EQ(code(kType, many.substr(many.size() / (limits::kFormParts + 1)) + "------b7--"),
            "none");
  EXPECT_EQ(code(kType, std::string(limits::kFormHeaderBytes * 2, 'x')), "malformed-form");
  EXPECT_EQ(code(kType, "------b7" + std::string(limits::kFormHeaderBytes * 2, ' ')),
            "malformed-form");
  EXPECT_EQ(code(kType, "------b7x\r\n"), "malformed-form");
  EXPECT_EQ(code(kType, "a preamble\r\n" + kBody), "none");
}

std::optional<std::string> file_name(const std::string& parameters) {
  return read(kType, "------b7\r\nContent-Disposition: form-data; name=f" + parameters +
                         "\r\n\r\n\r\n------b7--")
      .front()
      .part.file_name;
}

TEST(FormReader, reads_file_names_as_clients_write_them) {
  EXPECT_EQ(file_name(""), std::nullopt);
  EXPECT_EQ(file_name("; filename=a.csv"), "a.csv");
  EXPECT_EQ(file_name("; filename=\"\""), "");
  EXPECT_EQ(file_name("; FileName=\"C:\\data\\a.csv\""), "C:\\data\\a.csv");
  EXPECT_EQ(file_name("; filename=\"a;b=c.csv\""), "a;b=c.csv");
  EXPECT_EQ(file_name("; filename=\"käse.csv\""), "käse.csv");
  EXPECT_EQ(file_name("; filename=\"x\"; filename*=UTF-8''k%C3%A4se.csv"), "käse.csv");
}

}  // namespace
}  // namespace shopbell::http

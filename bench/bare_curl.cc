// Baseline of bench/webhooks: a minimal libcurl client that sends POSTs. It reuses its connections
// and handles and sends the same bytes each time. It reads no events, signs nothing, stores nothing
// and retries nothing.
//
//   bare_curl COUNT CONNECTIONS FILE URL…      prints rate=… per second
//
// FILE contains the headers, an empty line and the body. The URLs are used in turn. Any answer but
// 2xx is an error.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <curl/curl.h>

namespace {

using Steady = std::chrono::steady_clock;

struct Free {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

struct Message {
  std::unique_ptr<curl_slist, Free> headers;
  std::string body;
};

Message read_message(const std::string& path) {
  std::ifstream file{path};
  Message message;
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");
  for (std::string line; std::getline(file, line) && !line.empty();)
    headers = curl_slist_append(headers, line.c_str());
  message.headers.reset(headers);
  message.body.assign(std::istreambuf_iterator<char>{file}, {});
  if (message.body.empty()) throw std::runtime_error{"FILE has no body to send"};
  return message;
}

std::size_t ignore(char* /*from*/, std::size_t size, std::size_t count, void* /*nobody*/) {
  return size * count;
}

std::unique_ptr<CURL, Free> handle(const Message& message, const std::string& url) {
  std::unique_ptr<CURL, Free> easy{curl_easy_init()};
  const auto set = [&](CURLoption option, auto value) {
    curl_easy_setopt(easy.get(), option, value);
  };
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_HTTPHEADER, message.headers.get());
  set(CURLOPT_POSTFIELDS, message.body.data());
  set(CURLOPT_POSTFIELDSIZE, static_cast<long>(message.body.size()));
  set(CURLOPT_WRITEFUNCTION, &ignore);
  return easy;
}

void require_good(const CURLMsg& ended) {
  long status = 0;
  curl_easy_getinfo(ended.easy_handle, CURLINFO_RESPONSE_CODE, &status);
  if (ended.data.result != CURLE_OK)
    throw std::runtime_error{curl_easy_strerror(ended.data.result)};
  if (status < 200 || status > 299)
    throw std::runtime_error{std::format("unexpected status {}", status)};
}

// Sends `count` POSTs and returns the number of responses per second.
double send(std::size_t count, std::size_t connections, const Message& message,
            const std::vector<std::string>& urls) {
  CURLM* const multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(connections));
  std::vector<std::unique_ptr<CURL, Free>> handles;
  const auto began = Steady::now();
  std::size_t begun = 0;
  for (; begun < std::min(count, connections); ++begun) {
    handles.push_back(handle(message, urls[begun % urls.size()]));
    curl_multi_add_handle(multi, handles.back().get());
  }
  for (std::size_t answered = 0; answered < count;) {
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    bool moved = false;
    while (const CURLMsg* const ended = curl_multi_info_read(multi, &left)) {
      require_good(*ended);
      CURL* const easy = ended->easy_handle;
      curl_multi_remove_handle(multi, easy);
      ++answered;
      moved = true;
      if (begun == count) continue;
      ++begun;
      curl_multi_add_handle(multi, easy);
    }
    if (!moved) curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
  }
  const std::chrono::duration<double> took = Steady::now() - began;
  for (const auto& easy : handles) curl_multi_remove_handle(multi, easy.get());
  curl_multi_cleanup(multi);
  return static_cast<double>(count) / took.count();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 5) throw std::runtime_error{"COUNT CONNECTIONS FILE URL…"};
    curl_global_init(CURL_GLOBAL_DEFAULT);
    const auto number = [&](int at) { return std::strtoull(argv[at], nullptr, 10); };
    const std::vector<std::string> urls(argv + 4, argv + argc);
    std::printf("rate=%.1f\n", send(number(1), number(2), read_message(argv[3]), urls));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bare_curl: %s\n", error.what());
    return EXIT_FAILURE;
  }
}

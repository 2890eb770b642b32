# Sets LIBPOOL_HTTPLIB_FITS: whether there is a cpp-httplib with the insides that
# libpool::live makes use of, so that servers can end at once. Others have others.
include(CMakePushCheckState)
include(CheckSourceCompiles)

set(LIBPOOL_HTTPLIB_FITS FALSE)
if(TARGET PkgConfig::HTTPLIB)
  cmake_push_check_state()
  set(CMAKE_REQUIRED_LIBRARIES PkgConfig::HTTPLIB)
  set(CMAKE_REQUIRED_FLAGS "-std=c++17")
  check_source_compiles(CXX [[
    #include <httplib.h>
    struct stream : httplib::Stream {
      bool is_readable() const override;
      bool is_writable() const override;
      ssize_t read(char*, size_t) override;
      ssize_t write(const char*, size_t) override;
      void get_remote_ip_and_port(std::string&, int&) const override;
      void get_local_ip_and_port(std::string&, int&) const override;
      socket_t socket() const override;
    };
    bool use(stream*);
    struct queue : httplib::TaskQueue {
      void enqueue(std::function<void()>) override;
      void shutdown() override;
    };
    bool use(queue*);
    struct server : httplib::Server {
      bool process_and_close_socket(socket_t) override;
      bool process(stream& x, bool& is_closed) {
        return process_request(x, true, is_closed, nullptr);
      }
    };
    template <class T>
    constexpr bool fits = !std::is_abstract_v<T>;
    static_assert(fits<stream> && fits<queue> && fits<server>);
    int main() {}
  ]] LIBPOOL_HTTPLIB_HAS_INSIDES)
  cmake_pop_check_state()
  set(LIBPOOL_HTTPLIB_FITS ${LIBPOOL_HTTPLIB_HAS_INSIDES})
endif()

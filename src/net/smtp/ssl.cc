// Compiles the sources of Asio's TLS once, instead of in every file
// (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/ssl/impl/src.hpp>

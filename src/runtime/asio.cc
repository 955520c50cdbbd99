// Compiles Asio's sources once, instead of in every file (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>

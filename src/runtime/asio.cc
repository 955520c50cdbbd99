// The compiled part of Asio: once here instead of in every file (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>

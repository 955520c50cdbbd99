// /files/: the files of exports, to whoever holds a link.
#pragma once

#include "http/route.h"

namespace shopbell::exports {

http::Route file_route();

}  // namespace shopbell::exports

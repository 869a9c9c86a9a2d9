// Gzip data for the tests, compressed by zlib in memory.
#pragma once

#include <stdexcept>
#include <string>

#include <zlib.h>

namespace landfall::test {

inline std::string gzip_bytes(const std::string& content) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("no compression");
  std::string out(deflateBound(&stream, content.size()) + 64, '\0');
  std::string in = content;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("no compression");
  return out;
}

}  // namespace landfall::test

// Formats that are not read, with the line that converts them; not installed.
#pragma once

#include <filesystem>

namespace landfall {

struct FileHead;

/// DataError with the name of the format and a conversion, where the content or the extension is that of a format that
/// others write and this library does not read.
void refuse_foreign(const std::filesystem::path& path, const FileHead& head);

}  // namespace landfall

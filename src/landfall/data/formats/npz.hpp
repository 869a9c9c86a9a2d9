// NumPy's .npz files: arrays in a zip archive, stored (numpy.savez) or deflated (numpy.savez_compressed).
//
//   auto source = landfall::open_npz<float>("data.npz");           // its only array
//   auto left = landfall::open_npz<float>("views.npz:left");       // one of several
//   landfall::Batch<float> batch;
//   while (source->read(128, batch) > 0) use(batch);
#pragma once

#include <landfall/data/rows/source.hpp>

namespace landfall {

/// The array is unpacked to a temporary file without a name (see SpooledFile), so that any row can be read. DataError for
/// an archive that is damaged, encrypted or packed by another method, and where the name leaves a choice.
template <class S>
SourcePtr<S> open_npz(const std::filesystem::path& path);

extern template SourcePtr<float> open_npz<float>(const std::filesystem::path&);
extern template SourcePtr<double> open_npz<double>(const std::filesystem::path&);

}  // namespace landfall

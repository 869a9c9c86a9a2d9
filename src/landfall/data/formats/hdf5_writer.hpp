// Rows into a dataset of a new HDF5 file.
//
//   landfall::Hdf5Writer<float> out("scores.h5:/left", batch.cols());   // "scores.h5": as /data
//   out.write(batch);
//   out.finish();                                                       // only now is there a scores.h5
#pragma once

#include <landfall/data/formats/writer.hpp>

#include <filesystem>
#include <memory>

namespace landfall {

/// f4 or f8 by the scalar, in chunks of about a mebibyte, not compressed. A file of that name is replaced as
/// a whole, with whatever else is in it, and keeps its content until finish(). The same rows give the same
/// bytes.
template <class S>
class Hdf5Writer final : public Writer<S> {
 public:
  Hdf5Writer(const std::filesystem::path& path, Index cols);
  ~Hdf5Writer() override;
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  /// Sparse rows are written with their zeros.
  void write(const Batch<S>& rows) override;
  void finish() override;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

extern template class Hdf5Writer<float>;
extern template class Hdf5Writer<double>;

}  // namespace landfall

#include <landfall/data/formats/hdf5.ipp>
#include <landfall/data/formats/hdf5_source.hpp>

#include <algorithm>
#include <numeric>

namespace landfall {

Hdf5Path Hdf5Path::split(const std::filesystem::path& path) {
  const std::string text = path.string();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return {path, {}};
  const auto find = [&](auto is_file) -> std::size_t {
    for (std::size_t end = text.rfind(":/"); end != text.npos && end > 0; end = text.rfind(":/", end - 1))
      if (is_file(std::filesystem::path(text.substr(0, end)))) return end;
    return text.npos;
  };
  std::size_t end = find([&](const auto& file) { return std::filesystem::is_regular_file(file, ignored); });
  if (end == text.npos)
    end = find([](const auto& file) { return file.extension() == ".h5" || file.extension() == ".hdf5"; });
  if (end == text.npos) return {path, {}};
  return {text.substr(0, end), text.substr(end + 1)};
}

template <class S>
Hdf5Source<S>::Hdf5Source(const std::filesystem::path& path, const Hdf5Options& options)
    : Hdf5Source(path.string(), std::make_unique<hdf5::Dataset>(Hdf5Path::split(path), options)) {}

template <class S>
Hdf5Source<S>::Hdf5Source(std::string name, std::unique_ptr<hdf5::Dataset> dataset)
    : RandomSource<S>(std::move(name), dataset->rows(), dataset->cols()), dataset_(std::move(dataset)) {}

template <class S>
Hdf5Source<S>::~Hdf5Source() = default;

template <class S>
std::string_view Hdf5Source<S>::element_type() const {
  return hdf5::type_name(dataset_->type());
}

template <class S>
bool Hdf5Source<S>::random_access() const {
  return dataset_->any_order();
}

template <class S>
void Hdf5Source<S>::read_rows(std::span<const Index> rows, Batch<S>& batch) {
  if (!random_access()) return Source<S>::read_rows(rows, batch);
  RandomSource<S>::read_rows(rows, batch);
}

template <class S>
void Hdf5Source<S>::fetch(std::span<const Index> rows, Batch<S>& batch) {
  for (const Index row : rows) batch.add_row(row);
  order_.resize(rows.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, {}, [&](std::size_t place) { return rows[place]; });
  const std::span<const std::size_t> order(order_);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const Index tile = rows[order[begin]] / dataset_->tile_rows();
    while (end < order.size() && rows[order[end]] / dataset_->tile_rows() == tile) ++end;
    for (Index col = 0; col < this->cols(); col += dataset_->tile_cols())
      fetch_tile(rows, order.subspan(begin, end - begin), col,
                 std::min(dataset_->tile_cols(), this->cols() - col), batch);
  }
}

/// Some columns of the rows at these places, which ascend: rows that follow each other are read together.
template <class S>
void Hdf5Source<S>::fetch_tile(std::span<const Index> rows, std::span<const std::size_t> places, Index col,
                               Index cols, Batch<S>& batch) {
  hdf5::with_type(dataset_->type(), [&](auto number) {
    using T = decltype(number);
    constexpr std::size_t most_bytes = std::size_t{4} << 20;
    const auto width = static_cast<std::size_t>(cols), all = static_cast<std::size_t>(this->cols());
    const auto most = static_cast<Index>(std::max<std::size_t>(1, most_bytes / (width * sizeof(T))));
    for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
      const Index first = rows[places[begin]];
      Index count = 1;
      for (; end < places.size() && rows[places[end]] <= first + count; ++end)
        if (rows[places[end]] == first + count && ++count > most) break;
      count = std::min(count, most);
      block_.resize(static_cast<std::size_t>(count) * width * sizeof(T));
      dataset_->read(first, count, col, cols, block_.data());
      const T* numbers = reinterpret_cast<const T*>(block_.data());
      for (std::size_t k = begin; k < end; ++k) {
        const T* from = numbers + static_cast<std::size_t>(rows[places[k]] - first) * width;
        const auto to = batch.values().subspan(places[k] * all + static_cast<std::size_t>(col), width);
        std::transform(from, from + width, to.begin(), [](T value) { return static_cast<S>(value); });
      }
    }
  });
}

template class Hdf5Source<float>;
template class Hdf5Source<double>;

}  // namespace landfall

#include <landfall/linalg/simd.ipp>
#include <landfall/linalg/sparse_products.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>
#include <vector>

namespace landfall {
namespace {

constexpr Index kPanelBytes = 64;
template <class S>
constexpr Index kWidth = kPanelBytes / static_cast<Index>(sizeof(S));

/// Columns of a matrix by columns, some of which a panel holds by rows.
template <class S>
struct Panel {
  const SparseRows<S>& a;
  S* numbers;     // kWidth for each column of a
  const S* from;  // the rows of a times these columns, or into them
  S* to;
  Index step, count;  // between columns; columns, at most kWidth
  S scale;
};

template <class S>
LANDFALL_INLINE void pack(const S* from, Index step, Index count, Index rows, S* panel) {
  for (Index i = 0; i < rows; ++i, panel += kWidth<S>)
    for (Index c = 0; c < count; ++c) panel[c] = from[c * step + i];
}

/// A panel as vectors of the instruction set.
template <class S, int Bytes>
struct PanelLanes {
  using L = Lanes<S, Bytes>;
  static constexpr int vectors = static_cast<int>(kPanelBytes) / Bytes;
};

/// scores = a x, two sums for the entries of a row in turn.
struct Times {
  template <int Bytes, class S>
  LANDFALL_INLINE static void run(const Panel<S>* panel, Index out_step) {
    using L = Lanes<S, Bytes>;
    constexpr int vectors = PanelLanes<S, Bytes>::vectors;
    const auto& [a, numbers, from, to, step, count, scale] = *panel;
    pack(from, step, count, a.cols, numbers);
    for (Index i = 0; i < a.rows; ++i) {
      typename L::Vector even[vectors] = {}, odd[vectors] = {};
      const Index end = a.starts[i + 1];
      Index k = a.starts[i];
      for (; k + 1 < end; k += 2) {
        const S *one = numbers + a.columns[k] * kWidth<S>, *other = numbers + a.columns[k + 1] * kWidth<S>;
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          even[v] += a.values[k] * L::at(one + v * L::count);
          odd[v] += a.values[k + 1] * L::at(other + v * L::count);
        }
      }
      if (k < end) {
        const S* one = numbers + a.columns[k] * kWidth<S>;
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) even[v] += a.values[k] * L::at(one + v * L::count);
      }
      S sums[kWidth<S>];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) L::at(sums + v * L::count) = even[v] + odd[v];
      for (Index c = 0; c < count; ++c) to[c * out_step + i] = sums[c];
    }
  }
};

/// sums += scale a'w
struct TransposeTimes {
  template <int Bytes, class S>
  LANDFALL_INLINE static void run(const Panel<S>* panel, Index out_step) {
    using L = Lanes<S, Bytes>;
    constexpr int vectors = PanelLanes<S, Bytes>::vectors;
    const auto& [a, numbers, from, to, step, count, scale] = *panel;
    std::fill_n(numbers, a.cols * kWidth<S>, S(0));
    for (Index i = 0; i < a.rows; ++i) {
      S weights[kWidth<S>] = {};
      for (Index c = 0; c < count; ++c) weights[c] = scale * from[c * step + i];
      typename L::Vector w[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) w[v] = L::at(weights + v * L::count);
      for (Index k = a.starts[i]; k < a.starts[i + 1]; ++k) {
        S* sum = numbers + a.columns[k] * kWidth<S>;
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) L::at(sum + v * L::count) += a.values[k] * w[v];
      }
    }
    const S* sum = numbers;
    for (Index j = 0; j < a.cols; ++j, sum += kWidth<S>)
      for (Index c = 0; c < count; ++c) to[c * out_step + j] += sum[c];
  }
};

/// Stays with the thread, so that nothing is allocated after the first product of a size.
template <class S>
S* panel_of(Index cols) {
  thread_local std::vector<S> numbers;
  const auto size = static_cast<std::size_t>(cols * kWidth<S>);
  if (numbers.size() < size) numbers.resize(size);
  return numbers.data();
}

template <class Loop, class S>
void for_panels(const SparseRows<S>& a, In<S> from, Out<S> to, S scale, InstructionSet set) {
  const Index columns = from.cols();
  parallel_for((columns + kWidth<S> - 1) / kWidth<S>, [&](Index i) {
    const Index j = i * kWidth<S>;
    const Panel<S> panel{a,
                         panel_of<S>(a.cols),
                         from.col(j).data(),
                         to.col(j).data(),
                         from.outerStride(),
                         std::min(kWidth<S>, columns - j),
                         scale};
    dispatch<Loop>(set, &panel, to.outerStride());
  });
}

}  // namespace

template <class S>
void sparse_product(const SparseRows<S>& a, In<S> x, Out<S> out, InstructionSet set) {
  for_panels<Times, S>(a, x, out, S(1), set);
}

template <class S>
void add_sparse_product_at(const SparseRows<S>& a, In<S> w, Out<S> out, S scale, InstructionSet set) {
  for_panels<TransposeTimes, S>(a, w, out, scale, set);
}

LANDFALL_SPARSE_PRODUCTS(, float)
LANDFALL_SPARSE_PRODUCTS(, double)

}  // namespace landfall

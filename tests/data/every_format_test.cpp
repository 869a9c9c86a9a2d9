// The same matrix through every format is the same data: the same batches in the same order, bit by bit, and
// so the same results.
#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/formats/idx_source.hpp>
#include <landfall/data/formats/matrix_market.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/rows/stream.hpp>

#include <data/gzip_bytes.hpp>
#include <data/hdf5_file.hpp>
#include <data/read_all.hpp>
#include <data/source_checks.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class EveryFormat : public Typed<S> {};
TYPED_TEST_SUITE(EveryFormat, Scalars);

struct Case {
  Index rows, cols;
  bool bytes;  // whole numbers from 0 to 255
  std::uint64_t seed;
};

std::vector<Case> cases() {
  std::vector<Case> all = {{1, 1, false, 1}, {1, 7, true, 2}, {9, 1, false, 3}, {700, 3, true, 4}};
  for (std::uint64_t seed = 5; seed < 10; ++seed)
    all.push_back({2 + static_cast<Index>(uniform({seed, 7}, 0) * 400),
                   1 + static_cast<Index>(uniform({seed, 7}, 1) * 40), seed % 2 == 0, seed});
  return all;
}

/// Numbers that single precision holds, many of them +0; some rows and columns have no others.
Matrix<double> random_matrix(const Case& c) {
  const Stream stream{c.seed, 8};
  const auto chance = [&](Index i) { return uniform(stream, static_cast<std::uint64_t>(i)); };
  Matrix<double> m = c.bytes ? Matrix<double>(whole_numbers(c.rows, c.cols, -127, c.seed).cwiseAbs() * 2)
                             : gaussian<float>(c.rows, c.cols, {c.seed, 9}).template cast<double>();
  for (Index k = 0; k < m.size(); ++k)
    if (chance(k) < 0.4) m.data()[k] = 0;
  for (Index i = 0; i < c.rows; ++i)
    if (chance(m.size() + i) < 0.2) m.row(i).setZero();
  for (Index j = 0; j < c.cols; ++j)
    if (chance(m.size() + c.rows + j) < 0.2) m.col(j).setZero();
  return m;
}

template <class S>
struct Form {
  std::string name;
  std::function<SourcePtr<S>()> open;
};

/// Writes the matrix in every format; the first form is the memory.
template <class S>
std::vector<Form<S>> every_form(const TemporaryFolder& folder, const Case& c, const Matrix<double>& m) {
  const Matrix<S> columns = m.cast<S>();
  const RowMatrix<S> rows = columns;
  const std::vector<std::uint32_t> sizes = {static_cast<std::uint32_t>(c.rows),
                                            static_cast<std::uint32_t>(c.cols)};
  const Hdf5Layout packed = {.chunk_rows = static_cast<hsize_t>(std::min<Index>(c.rows, 32)),
                             .chunk_cols = static_cast<hsize_t>(std::min<Index>(c.cols, 10)),
                             .deflate = 1};
  for (const bool fortran : {false, true}) {
    const std::string order = fortran ? "fortran" : "c";
    folder.file(order + "4.npy", npy_file<float>("f4", m, fortran, false));
    folder.file(order + "8.npy", npy_file<double>("f8", m, fortran, fortran));
    if (c.bytes) folder.file(order + "1.npy", npy_file<std::uint8_t>("u1", m, fortran, false));
  }
  for (const std::string& ending : writer_endings()) {
    const auto writer = open_writer<S>(folder / ("written" + ending), c.cols);
    MemorySource<S> source(rows);
    Batch<S> batch;
    while (source.read(50, batch) > 0) writer->write(batch);
    writer->finish();
  }
  write_matrix_market<S>(folder / "array.mtx", columns);
  folder.file("4.idx", idx_file<float>(0x0d, m, sizes));
  folder.file("8.idx", idx_file<double>(0x0e, m, sizes));
  if (c.bytes) folder.file("1.idx", idx_file<std::uint8_t>(0x08, m, sizes));
  for (const std::string& name : folder.names())
    if (!name.ends_with(".npy") && name.find(".h") == name.npos)
      folder.file(name + ".gz", gzip_bytes(content(folder / name)));
  add_hdf5<double>(folder / "packed.h5", "/big", m, {.big = true});
  add_hdf5<float>(folder / "packed.h5", "/group/packed", m, packed);
  if (c.bytes) add_hdf5<std::uint8_t>(folder / "bytes.h5", "/bytes", m, packed);

  std::vector<Form<S>> forms = {{"memory", [rows] { return std::make_unique<MemorySource<S>>(rows); }}};
  for (const std::string& name : folder.names())
    if (name != "packed.h5") forms.push_back({name, [path = folder / name] { return open_source<S>(path); }});
  for (const std::string name : {"packed.h5:/big", "packed.h5:/group/packed"})
    forms.push_back({name, [path = folder / name] { return open_source<S>(path); }});
  // What is too large to be unpacked into memory is read in order.
  forms.push_back({"packed.h5 in order", [path = folder / "packed.h5:/group/packed"] {
                     return std::make_unique<Hdf5Source<S>>(path, Hdf5Options{.memory = 0});
                   }});
  forms.push_back(
      {"4.idx.gz in order", [path = folder / "4.idx.gz"] { return open_idx<S>(path, {.memory = 0}); }});
  return forms;
}

/// What a model sees of a stream: everything that it can compute from.
template <class S>
struct Seen {
  std::string refusal;  // without the name of the file
  std::vector<std::vector<Index>> numbers;
  std::vector<RowMatrix<S>> rows;      // as they are stored: not centred where they are sparse
  std::vector<Matrix<S>> times, back;  // A x and A'w of every batch
  Matrix<S> gram;                      // sum of A'(A x) over a pass
  Vector<double> mean, largest;        // of the columns; largest in absolute value
  std::vector<Matrix<double>> times_bound, back_bound;  // |A| |x| + 1 largest'|x|, |A|'|w| + largest 1'|w|
};

template <class S>
Matrix<double> size_of(const Matrix<S>& m) {
  return m.template cast<double>().cwiseAbs();
}

template <class S>
Seen<S> see(SourcePtr<S> source, const Matrix<double>& m, const StreamOptions& options) {
  Seen<S> seen;
  const std::string name = source->name();
  std::vector<SourcePtr<S>> views;
  views.push_back(std::move(source));
  try {
    DataStream<S> stream(std::move(views), options);
    const Transform<S>& transform = stream.transform(0);
    seen.mean = transform.mean();
    const auto kept = static_cast<Index>(transform.kept().size());
    seen.largest.resize(kept);
    for (Index k = 0; k < kept; ++k)
      seen.largest(k) = m.col(transform.kept()[static_cast<std::size_t>(k)]).cwiseAbs().maxCoeff();
    const Matrix<S> x = gaussian<S>(kept, 2, {1, 1});
    seen.gram = Matrix<S>::Zero(kept, 2);
    for (const auto& [pass, part] : {std::pair{std::uint64_t{0}, Part::training},
                                     {std::uint64_t{1}, Part::training},
                                     {std::uint64_t{0}, Part::held_out}}) {
      stream.begin_pass(pass, part);
      while (stream.next()) {
        const CentredBatch<S>& batch = stream.view(0);
        seen.numbers.emplace_back(batch.batch.numbers().begin(), batch.batch.numbers().end());
        RowMatrix<S> rows(0, kept);
        for (Index i = 0; i < batch.rows(); ++i) {
          rows.conservativeResize(i + 1, Eigen::NoChange);
          append_row(batch.batch, i, rows);
        }
        const Matrix<S> w = gaussian<S>(batch.rows(), 2, {2, seen.rows.size()});
        Matrix<S> ax(batch.rows(), 2), aw(kept, 2);
        batch.times(x, ax);
        batch.transpose_times(w, aw, S(1), S(0));
        batch.transpose_times(ax, seen.gram, S(1), S(1));
        const Matrix<double> a = size_of<S>(rows), sums = size_of<S>(w).colwise().sum();
        const Matrix<double> shift = seen.largest.transpose() * size_of<S>(x);
        seen.times_bound.push_back(a * size_of<S>(x) + shift.replicate(batch.rows(), 1));
        seen.back_bound.push_back(a.transpose() * size_of<S>(w) + seen.largest * sums);
        seen.rows.push_back(std::move(rows));
        seen.times.push_back(std::move(ax));
        seen.back.push_back(std::move(aw));
      }
    }
  } catch (const DataError& error) {
    seen.refusal = error.what();
    EXPECT_TRUE(seen.refusal.starts_with(name + ": ")) << seen.refusal;
    seen.refusal.erase(0, name.size());
  }
  return seen;
}

template <class S>
bool all_same_bits(const std::vector<Matrix<S>>& a, const std::vector<Matrix<S>>& b) {
  return std::ranges::equal(a, b,
                            [](const auto& left, const auto& right) { return same_bits<S>(left, right); });
}

/// Entry by entry. The sparse product sums A x and m'x apart, the dense one products of differences: either
/// has at most `terms` + 3 roundings of parts of what the bound adds up. The mean, in double precision, has
/// one rounding for each row.
template <class S>
void expect_close(const std::vector<Matrix<S>>& found, const std::vector<Matrix<S>>& expected,
                  const std::vector<Matrix<double>>& bounds, Index terms, Index rows) {
  const double unit = 2.0 * (static_cast<double>(terms + 3) * double{std::numeric_limits<S>::epsilon()} +
                             static_cast<double>(rows) * std::numeric_limits<double>::epsilon());
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Matrix<double> error = size_of<S>(found[k] - expected[k]);
    EXPECT_TRUE((error.array() <= unit * bounds[k].array()).all()) << "batch " << k << "\n" << error;
  }
}

template <class S>
void check(const std::vector<Form<S>>& forms, const Matrix<double>& m, const StreamOptions& options) {
  const Seen<S> expected = see<S>(forms[0].open(), m, options);
  for (std::size_t f = 1; f < forms.size(); ++f) {
    SCOPED_TRACE(forms[f].name);
    SourcePtr<S> source = forms[f].open();
    const bool sparse = source->sparse();
    const Seen<S> seen = see<S>(std::move(source), m, options);
    EXPECT_EQ(seen.refusal, expected.refusal);
    EXPECT_EQ(seen.numbers, expected.numbers);
    ASSERT_EQ(seen.rows.size(), expected.rows.size());
    for (std::size_t k = 0; k < seen.rows.size(); ++k)
      EXPECT_TRUE((sparse && options.transform.centring != Centring::none) ||
                  same_bits(seen.rows[k], expected.rows[k]))
          << "batch " << k;
    if (sparse) {
      expect_close<S>(seen.times, expected.times, seen.times_bound, m.cols(), m.rows());
      expect_close<S>(seen.back, expected.back, seen.back_bound, options.batch, m.rows());
    } else {
      EXPECT_TRUE(same_bits<double>(seen.mean, expected.mean));
      EXPECT_TRUE(all_same_bits<S>(seen.times, expected.times));
      EXPECT_TRUE(all_same_bits<S>(seen.back, expected.back));
      EXPECT_TRUE(same_bits<S>(seen.gram, expected.gram));
    }
  }
}

TYPED_TEST(EveryFormat, GivesTheSameBatchesAndTheSameProducts) {
  using S = TypeParam;
  for (const Case& c : cases()) {
    SCOPED_TRACE(fmt::format("{}x{}, seed {}", c.rows, c.cols, c.seed));
    const TemporaryFolder folder;
    const Matrix<double> m = random_matrix(c);
    const auto forms = every_form<S>(folder, c, m);
    for (const Centring centring : {Centring::exact, Centring::none})
      // 0: all rows in one permutation, since there are fewer than a window that must be read in order has.
      for (const Index window : {Index{16}, Index{0}}) {
        SCOPED_TRACE(fmt::format("window {}, centring {}", window, static_cast<int>(centring)));
        check<S>(forms, m,
                 {.batch = 7,
                  .shuffle = {.seed = c.seed, .held_out = 0.2, .window = window},
                  .transform = {.centring = centring},
                  .read_ahead = c.seed % 4 == 0});
      }
  }
}

}  // namespace
}  // namespace landfall::test

#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/rows/joined_source.hpp>
#include <landfall/data/rows/memory_source.hpp>

#include <data/file_bytes.hpp>
#include <data/gzip_bytes.hpp>
#include <data/source_checks.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>
#include <unistd.h>

namespace landfall::test {
namespace {

/// Sparse rows in order, each with its number as a label.
template <class S>
class SparseRows : public Source<S> {
 public:
  explicit SparseRows(Matrix<S> m) : m_(std::move(m)) {}
  const std::string& name() const override { return name_; }
  std::string_view format() const override { return "sparse"; }
  std::string_view element_type() const override { return "text"; }
  std::optional<Index> rows() const override { return std::nullopt; }
  Index cols() const override { return m_.cols(); }
  bool sparse() const override { return true; }
  Index read(Index count, Batch<S>& batch) override {
    batch.start_sparse(m_.cols());
    labels_.clear();
    for (; next_ < m_.rows() && batch.rows() < count; ++next_) {
      batch.add_sparse_row(next_);
      labels_.push_back(static_cast<double>(next_));
      for (Index j = 0; j < m_.cols(); ++j)
        if (m_(next_, j) != 0) batch.add_entry(j, m_(next_, j));
    }
    return batch.rows();
  }
  void rewind() override { next_ = 0; }
  const std::vector<std::string>& column_names() const override { return names; }
  std::span<const double> labels() const override { return labels_; }

  std::vector<std::string> names;

 private:
  std::string name_ = "rows.sparse";
  Matrix<S> m_;
  Index next_ = 0;
  std::vector<double> labels_;
};

template <class S>
class Sources : public Typed<S> {};
TYPED_TEST_SUITE(Sources, Scalars);

TYPED_TEST(Sources, MemoryIsASource) {
  using S = TypeParam;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {1, 8}, {8, 1}, {23, 11}}) {
    const RowMatrix<S> m = gaussian<S>(rows, cols, {7, 0});
    MemorySource<S> owned(m);
    expect_rows<S>(owned, m, 1);
    const RowMatrix<S> wide = gaussian<S>(rows, cols + 3, {8, 0});
    MemorySource<S> seen(wide.data() + 2, rows, cols, cols + 3);
    expect_rows<S>(seen, wide.middleCols(2, cols), 2);
  }
  const S number = 0;
  EXPECT_THROW(MemorySource<S>(&number, 0, 1, 1), UsageError);
  EXPECT_THROW(MemorySource<S>(&number, 1, 2, 1), UsageError);
  EXPECT_THROW(MemorySource<S>(nullptr, 1, 1, 1), UsageError);
  EXPECT_THROW(MemorySource<S>(RowMatrix<S>()), UsageError);
}

TYPED_TEST(Sources, JoinedAreTheirRowsOneAfterTheOther) {
  using S = TypeParam;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto draw = [&](std::uint64_t k, Index most) {
      return 1 + static_cast<Index>(uniform({seed, 4}, k) * static_cast<double>(most));
    };
    const Index cols = draw(0, 9);
    std::vector<SourcePtr<S>> parts;
    Matrix<S> all(0, cols);
    for (Index part = 0, count = draw(1, 5); part < count; ++part) {
      const auto k = static_cast<std::uint64_t>(part);
      const Matrix<S> m = gaussian<S>(draw(2 + k, 12), cols, {seed, k});
      all.conservativeResize(all.rows() + m.rows(), Eigen::NoChange);
      all.bottomRows(m.rows()) = m;
      parts.push_back(std::make_unique<MemorySource<S>>(m));
    }
    JoinedSource<S> joined(std::move(parts));
    EXPECT_TRUE(joined.random_access());
    expect_rows<S>(joined, all, seed);
  }
}

TYPED_TEST(Sources, JoinedSparseStaySparseAndBecomeDenseBesideDense) {
  using S = TypeParam;
  Matrix<S> m = gaussian<S>(10, 6, {1, 0});
  m = (m.array() > S(0.5)).select(m, Matrix<S>::Zero(10, 6));
  for (const bool mixed : {false, true}) {
    std::vector<SourcePtr<S>> parts;
    parts.push_back(std::make_unique<SparseRows<S>>(m.topRows(4)));
    if (mixed)
      parts.push_back(std::make_unique<MemorySource<S>>(RowMatrix<S>(m.bottomRows(6))));
    else
      parts.push_back(std::make_unique<SparseRows<S>>(m.bottomRows(6)));
    JoinedSource<S> joined(std::move(parts));
    EXPECT_EQ(joined.sparse(), !mixed);
    EXPECT_EQ(joined.format(), mixed ? "mixed" : "sparse");
    EXPECT_EQ(joined.rows(), std::nullopt);
    expect_rows<S>(joined, m, 3);
    Batch<S> batch;
    joined.read(6, batch);
    const std::vector<double> labels(joined.labels().begin(), joined.labels().end());
    EXPECT_EQ(labels, mixed ? std::vector<double>{} : (std::vector<double>{0, 1, 2, 3, 0, 1}));
  }
}

TEST(JoinedSourceErrors, NameBothSources) {
  const auto error = [](auto first, auto second) -> std::string {
    std::vector<SourcePtr<float>> parts;
    parts.push_back(std::move(first));
    parts.push_back(std::move(second));
    try {
      const JoinedSource<float> joined(std::move(parts));
    } catch (const DataError& refusal) {
      return refusal.what();
    }
    return "no error";
  };
  const auto memory = [](Index cols, const char* name) {
    return std::make_unique<MemorySource<float>>(RowMatrix<float>::Zero(2, cols), name);
  };
  EXPECT_EQ(error(memory(3, "a"), memory(4, "b")), "b: 4 columns, but a has 3");
  const auto named = [](std::vector<std::string> names) {
    auto source = std::make_unique<SparseRows<float>>(Matrix<float>::Zero(2, 2));
    source->names = std::move(names);
    return source;
  };
  EXPECT_EQ(error(named({"x", "y"}), named({"x", "z"})),
            "rows.sparse: column 2 is 'z', but 'y' in rows.sparse");
  EXPECT_EQ(error(named({"x", "y"}), named({})), "no error");
  EXPECT_THROW(JoinedSource<float>({}), UsageError);
}

TYPED_TEST(Sources, TheContentTellsTheFormatWhateverTheName) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const Matrix<double> m = whole_numbers(9, 4, 0, 3);
  const std::string idx = idx_file<std::uint8_t>(8, m, {9, 2, 2});
  const auto check = [&](const std::string& name, const std::string& bytes, const std::string& format) {
    const auto source = open_source<S>(folder.file(name, bytes));
    EXPECT_EQ(source->format(), format);
    expect_rows<S>(*source, m.cast<S>(), 1);
  };
  check("a.csv", npy_file<std::int16_t>("i2", m, true, true), "npy");
  check("a.npy", idx, "idx");
  check("a", idx, "idx");
  check("a.svm.gz", gzip_bytes(idx), "idx");
  check("packed", gzip_bytes(idx), "idx");
}

TYPED_TEST(Sources, AFolderIsItsFilesByName) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const Matrix<S> m = gaussian<S>(12, 3, {2, 0});
  std::filesystem::create_directories(folder / "parts/inner");
  write_npy<S>(folder / "parts/b.npy", m.middleRows(5, 6));
  write_npy<S>(folder / "parts/a.npy", m.topRows(5));
  write_npy<S>(folder / "parts/c.npy", m.bottomRows(1));
  folder.file("parts/.hidden", "nothing to read");
  const auto source = open_source<S>(folder / "parts");
  EXPECT_EQ(source->name(), (folder / "parts/a.npy").string() + " and 2 more");
  expect_rows<S>(*source, m, 1);

  const std::vector<std::filesystem::path> list = {folder / "parts/c.npy", folder / "parts/a.npy"};
  Matrix<S> listed(6, 3);
  listed << m.bottomRows(1), m.topRows(5);
  expect_rows<S>(*open_source<S>(list), listed, 2);
}

TYPED_TEST(Sources, SvmlightFilesShareTheirWidth) {
  using S = TypeParam;
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "from_one/inner");
  folder.file("from_one/a.svm", "1 1:1\n2 2:2\n");
  folder.file("from_one/b.svm", "3 5:3\n");
  folder.file("from_one/c.svm.gz", gzip_bytes("4 3:4\n"));
  Matrix<S> m = Matrix<S>::Zero(4, 5);
  m(0, 0) = 1;
  m(1, 1) = 2;
  m(2, 4) = 3;
  m(3, 2) = 4;
  const auto source = open_source<S>(folder / "from_one");
  EXPECT_TRUE(source->sparse());
  expect_rows<S>(*source, m, 1);

  // One file that counts from zero is enough to know that all do.
  std::filesystem::create_directory(folder / "from_zero");
  folder.file("from_zero/a.svm", "1 1:1\n2 2:2\n");
  folder.file("from_zero/b.svm", "3 0:3\n");
  Matrix<S> zero = Matrix<S>::Zero(3, 3);
  zero(0, 1) = 1;
  zero(1, 2) = 2;
  zero(2, 0) = 3;
  expect_rows<S>(*open_source<S>(folder / "from_zero"), zero, 2);

  // Folders and files together, and beside a file whose width is its own.
  const std::vector<std::filesystem::path> list = {folder / "from_zero", folder.file("wide.svm", "0 7:1\n"),
                                                   folder.file("rows.csv", "1,2,3,4,5,6,7,8,9\n")};
  const auto mixed = open_source<S>(list);
  EXPECT_EQ(mixed->cols(), 9);
  EXPECT_FALSE(mixed->sparse());
  Matrix<S> all = Matrix<S>::Zero(5, 9);
  all.topLeftCorner(3, 3) = zero;
  all(3, 7) = 1;
  all.row(4).setLinSpaced(9, 1, 9);
  expect_rows<S>(*mixed, all, 3);
  const std::vector<std::filesystem::path> narrow = {folder / "wide.svm", folder.file("few.csv", "1,2\n")};
  EXPECT_EQ(data_error(narrow[1], [&] { open_source<S>(narrow); }),
            fmt::format("2 columns, but {} has 7", narrow[0].string()));
}

TEST(OpenSourceErrors, AreOneSentence) {
  const TemporaryFolder folder;
  const auto error = [&](const std::filesystem::path& path) {
    return data_error(path, [&] { open_source<double>(path); });
  };
  EXPECT_EQ(error(folder / "none"), "no such file");
  const std::string unknown = error(folder.file("words", "some words"));
  EXPECT_EQ(unknown.substr(0, unknown.find(" one of ")),
            "unknown file format (tried content and extension); supported: .npy, csv, tsv, svmlight, Matrix "
            "Market, HDF5, .npz, text, IDX");
  EXPECT_EQ(error(folder.file("empty", "")), unknown);
  EXPECT_EQ(error(folder.file("a.npy", "not numpy")), "not an .npy file");
  EXPECT_EQ(error(folder.file("a.idx", "words")), "not an IDX file");
  const std::string npy = npy_file<float>("f4", whole_numbers(2, 2, 0, 1), false, false);
  EXPECT_EQ(error(folder.file("a.npy.gz", gzip_bytes(npy))), "a compressed .npy file; decompress it first");
  EXPECT_EQ(error(folder.file("a.gz", gzip_bytes(npy).substr(0, 5))),
            "truncated: the gzip data ends after 5 bytes");
  std::filesystem::create_directory(folder / "hollow");
  EXPECT_EQ(error(folder / "hollow"), "the folder contains no files");
  if (geteuid() != 0) {
    const auto locked = folder.file("locked", npy);
    std::filesystem::permissions(locked, std::filesystem::perms::none);
    EXPECT_EQ(error(locked), "cannot be opened: Permission denied");
    std::filesystem::create_directory(folder / "shut");
    std::filesystem::permissions(folder / "shut", std::filesystem::perms::none);
    EXPECT_EQ(error(folder / "shut"), "cannot be opened: Permission denied");
    std::filesystem::permissions(folder / "shut", std::filesystem::perms::all);
  }
  EXPECT_THROW(open_source<double>(std::vector<std::filesystem::path>{}), UsageError);
}

}  // namespace
}  // namespace landfall::test

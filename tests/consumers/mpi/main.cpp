// What a client writes that has MPI itself: every rank passes the rows that it has. The correlations are those of all rows.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/landfall.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/mpi/mpi_communicator.hpp>

#include <cmath>
#include <cstdio>
#include <memory>

using namespace landfall;

namespace {

constexpr Index kRows = 600;

struct Views {
  RowMatrix<double> left, right;
};

Views views() {
  Views all{gaussian<double>(kRows, 5, {1, 0}), gaussian<double>(kRows, 4, {2, 0})};
  all.right.leftCols(2) += 2 * all.left.leftCols(2);
  return all;
}

CcaResult<double> fit(const Views& rows, const CcaOptions& options) {
  return fit_cca<double>(std::make_unique<MemorySource<double>>(rows.left),
                         std::make_unique<MemorySource<double>>(rows.right), options);
}

bool same_as_one_process(const std::shared_ptr<Communicator>& ranks) {
  const Views all = views();
  const auto [first, last] = slice(ranks->rank(), ranks->size(), kRows);
  const Views own{all.left.middleRows(first, last - first), all.right.middleRows(first, last - first)};
  CcaOptions options{.components = 2};
  const auto one = fit(all, options);
  options.communicator = ranks;
  options.rank_rows = RankRows::own;
  const auto many = fit(own, options);
  const double difference = (many.correlations - one.correlations).cwiseAbs().maxCoeff();
  std::printf("rank %d of %d: %td rows, correlations differ by %.1e\n", ranks->rank(), ranks->size(),
              many.samples, difference);
  return ranks->size() == 2 && many.samples == kRows && difference < 1e-10;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool same = same_as_one_process(mpi_communicator(MPI_COMM_WORLD));
  MPI_Finalize();
  return same ? 0 : 1;
}

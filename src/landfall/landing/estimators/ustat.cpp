#include <landfall/errors.hpp>
#include <landfall/landing/estimators/ustat.hpp>
#include <landfall/linalg/products.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

/// out_i += scale times the sum over j != i of (a_i . b_j) c_j, written as all pairs less the equal ones.
template <class S>
void add_distinct_pairs(const View<S>& a, const View<S>& b, const View<S>& c, S scale, Matrix<S>& small,
                        View<S>& out) {
  multiply_at<S>(b, c, small);
  multiply<S>(a, small, out, scale, 1);
  for (Index i = 0; i < a.rows(); ++i) out.row(i) -= scale * a.row(i).dot(b.row(i)) * c.row(i);
}

}  // namespace

template <class S>
void UStatistic<S>::operator()(const LinearSamples<S>& samples, const Point<S>& x, std::size_t block,
                               const Preconditioner<S>* k, Normal normal, S omega, Matrix<S>& lambda) {
  // With G_i = a_i b_i', B_j = a_j a_j' + ridge I and alpha_j = X'a_j the field of a triple (i, j, l) is
  //   Psi = K [ G_i X'B_j K B_l X - B_j X G_i'K B_l X ].
  // The ridge splits it into sums over triples, pairs and single samples, each taken over distinct ones.
  const View<S>&at = samples.batch(block), &alpha = samples.alpha(block), &b = samples.b(block);
  const Matrix<S>& xb = x[block];
  const S ridge = samples.ridge(block);
  const Index r = at.cols(), n = at.rows(), p = xb.cols();
  const S count = static_cast<S>(r);
  const S singles = 1 / count, pairs = singles / (count - 1), triples = pairs / (count - 2);

  small_.resize(p, p);
  residual_.resize(p, p);

  auto& ka = ka_.resize(n, r);
  if (k)
    k->apply(at, ka);
  else
    ka = at;
  auto& gram = gram_.resize(r, r);  // a_j'K a_l for j != l
  multiply_at<S>(at, ka, gram);
  gram.diagonal().setZero();
  auto& crossed = crossed_.resize(r, p);  // row j: sum over l != j of (a_j'K a_l) alpha_l
  multiply<S>(gram, alpha, crossed);

  // G X'B K B X: coefficient of a_i is D1_i = sum over distinct j, l of (b_i . alpha_j)(a_j'K a_l) alpha_l'.
  auto& rows = rows_.resize(r, p);
  multiply_at<S>(alpha, crossed, small_);
  multiply<S>(b, small_, rows, triples);
  for (Index i = 0; i < r; ++i)
    rows.row(i) -=
        triples * (b.row(i).dot(alpha.row(i)) * crossed.row(i) + b.row(i).dot(crossed.row(i)) * alpha.row(i));
  // B X G'K B X: coefficient of a_j is D2_j = sum over distinct i, l of (alpha_j . b_i)(a_i'K a_l) alpha_l'.
  auto& meet = meet_.resize(r, r);
  multiply_bt<S>(alpha, b, meet);
  meet.diagonal().setZero();
  multiply<S>(meet, crossed, rows, -triples, 1);
  for (Index j = 0; j < r; ++j)
    rows.row(j) += triples * meet.row(j).dot(gram.col(j).transpose()) * alpha.row(j);

  Matrix<S>& out = lambda;
  out.setZero();
  if (ridge != 0) {
    kx_.resize(n, p);
    xkx_.resize(p, p);
    accumulated_.resize(p, p);
    if (k)
      k->apply(xb, kx_);
    else
      kx_ = xb;
    auto& kappa = kappa_.resize(r, p);  // row j: a_j'K X
    multiply_at<S>(at, kx_, kappa);
    multiply_at<S>(xb, kx_, xkx_);
    add_distinct_pairs<S>(b, alpha, kappa, ridge * pairs, small_, rows);   // G X'S K X
    add_distinct_pairs<S>(b, kappa, alpha, ridge * pairs, small_, rows);   // G X'K S X
    add_distinct_pairs<S>(alpha, b, kappa, -ridge * pairs, small_, rows);  // S X G'K X
    multiply<S>(b, xkx_, rows, ridge * ridge * singles, 1);                // G X'K X
    multiply_at<S>(b, crossed, accumulated_, -ridge * pairs);              // X G'K S X
    multiply_at<S>(b, kappa, accumulated_, -ridge * ridge * singles, 1);   // X G'K X
    multiply<S>(kx_, accumulated_, out);
  }
  multiply<S>(ka, rows, out, 1, 1);

  // X'BX - I, then the normal term: 2XH is linear in B, 2BXH again needs distinct pairs.
  multiply_at<S>(alpha, alpha, residual_, singles);
  if (ridge != 0) multiply_at<S>(xb, xb, residual_, ridge, 1);
  residual_.diagonal().array() -= S(1);
  if (omega == 0) return;
  if (normal == Normal::newton) {
    multiply<S>(xb, residual_, out, 2 * omega, 1);
    return;
  }
  rows.setZero();
  add_distinct_pairs<S>(alpha, alpha, alpha, pairs, small_, rows);  // S X X'S X
  small_.setIdentity();
  if (ridge != 0)
    multiply_at<S>(xb, xb, small_, ridge, -1);
  else
    small_ = -small_;
  multiply<S>(alpha, small_, rows, singles, 1);  // S X (ridge X'X - I)
  multiply<S>(at, rows, out, 2 * omega, 1);
  if (ridge != 0) multiply<S>(xb, residual_, out, 2 * omega * ridge, 1);  // ridge X (X'BX - I)
}

template <class S>
void UStatisticEstimator<S>::start(Samples<S>& samples, const SamplingOptions&) {
  linear_ = &require_linear(samples, Estimator::ustat);
  if (const int ranks = samples.communicator().size(); ranks > 1)
    throw UsageError(fmt::format(
        "the ustat estimator pairs every sample with every other and needs one rank, got {}", ranks));
}

template <class S>
double UStatisticEstimator<S>::estimate(const Point<S>& x, Index rows, SampleReader<S>& reader,
                                        FieldBuilder<S>& field) {
  const double value = linear_->project(0, rows, x);
  reader.count(1, x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const FieldOptions<S>& options = field.options()[i];
    statistic_(*linear_, x, i, options.preconditioner.get(), options.normal, field.omega(i),
               field.out().lambda[i]);
    field.note(i, statistic_.residual());
  }
  return value;
}

LANDFALL_USTAT(, float)
LANDFALL_USTAT(, double)

}  // namespace landfall

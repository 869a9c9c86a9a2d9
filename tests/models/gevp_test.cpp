#include <landfall/errors.hpp>
#include <landfall/models/gevp/gevp.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <support.hpp>

namespace landfall::test::gevp_test {

template <class S>
using GevpTest = Typed<S>;
TYPED_TEST_SUITE(GevpTest, Scalars);

template <class S>
OperatorPtr<S> dense(Matrix<S> m) {
  return std::make_shared<DenseOperator<S>>(std::move(m));
}

template <class S>
OperatorPtr<S> sparse(const Matrix<S>& m) {
  return std::make_shared<SparseOperator<S>>(m.sparseView());
}

template <class S>
OperatorPtr<S> sparse_diagonal(const Vector<S>& d) {
  Eigen::SparseMatrix<S> m(d.size(), d.size());
  for (Index i = 0; i < d.size(); ++i) m.insert(i, i) = d(i);
  return std::make_shared<SparseOperator<S>>(std::move(m));
}

/// An indefinite A with eigenvalues in [-1, 2] and a B of condition 20.
template <class S>
struct Pencil {
  explicit Pencil(Index n = 50)
      : a(with_spectrum<S>(Vector<double>::LinSpaced(n, -1, 2), 1)), b(random_spd<S>(n, 20, 2)) {}

  /// The p largest (or smallest), by Eigen in double precision.
  Vector<double> known(Index p, bool smallest) const {
    const Matrix<double> ad = a.template cast<double>(), bd = b.template cast<double>();
    const Vector<double> all = pencil_eigenvalues(ad, bd);
    return smallest ? Vector<double>(all.head(p)) : Vector<double>(all.tail(p).reverse());
  }

  Matrix<S> a, b;
};

/// Every way to solve: the methods, landing with each direction.
std::vector<GevpOptions> ways() {
  std::vector<GevpOptions> all;
  for (const auto method :
       {GevpMethod::automatic, GevpMethod::direct, GevpMethod::lobpcg, GevpMethod::landing})
    all.push_back({.method = method});
  for (const auto direction :
       {Direction::metric, Direction::riemannian, Direction::euclidean, Direction::preconditioned})
    all.push_back({.method = GevpMethod::landing, .direction = direction});
  return all;
}

std::string name(const GevpOptions& options) {
  return std::string(to_string(options.method)) +
         (options.direction ? " " + std::string(to_string(*options.direction)) : "") +
         (options.smallest ? " smallest" : " largest") + " p = " + std::to_string(options.components);
}

template <class S>
constexpr bool single = std::is_same_v<S, float>;

/// The laws every answer obeys, and the eigenvalues it should have found.
template <class S>
void expect_answer(const GevpResult<S>& result, const Pencil<S>& pencil, const GevpOptions& options) {
  const Index p = options.components;
  const Vector<double> known = pencil.known(p, options.smallest);
  const double scale = known.cwiseAbs().maxCoeff();
  // The error of a Ritz value is the square of that of its vector: below rounding at the default tolerances.
  const double tolerance = single<S> ? 2e-5 : 1e-10;
  ASSERT_EQ(result.values.size(), p);
  EXPECT_LE((result.values.template cast<double>() - known).cwiseAbs().maxCoeff(), tolerance * scale);
  EXPECT_TRUE(options.smallest
                  ? std::is_sorted(result.values.begin(), result.values.end())
                  : std::is_sorted(result.values.begin(), result.values.end(), std::greater<>()));
  for (Index j = 0; j < p; ++j)
    EXPECT_GT(result.vectors.col(j).maxCoeff(), -result.vectors.col(j).minCoeff());

  Matrix<S> h = result.vectors.transpose() * pencil.b * result.vectors;
  h.diagonal().array() -= S(1);
  EXPECT_LE(h.norm(), rounding<S>(20));
  for (Index j = 0; j < p; ++j) {
    const Vector<S> ax = pencil.a * result.vectors.col(j);
    const Vector<S> bx = result.values(j) * (pencil.b * result.vectors.col(j));
    const S relative = (ax - bx).norm() / (ax.norm() + bx.norm());
    EXPECT_NEAR(result.residuals(j), relative, rounding<S>(20));
    // Landing stops at an infeasibility of up to 1e-3 or 1e-8; the condition of B, 20, can enlarge it.
    EXPECT_LE(relative, single<S> ? 2e-3 : 20 * 1e-8);
  }
  EXPECT_EQ(result.stationarity, static_cast<double>(result.residuals.maxCoeff()));
  EXPECT_LE(result.infeasibility, single<S> ? 1e-3 : 1e-8);
  EXPECT_EQ(result.termination, Termination::converged);
}

TYPED_TEST(GevpTest, EveryMethodAndDirectionAgreesWithLapack) {
  using S = TypeParam;
  const Pencil<S> pencil;
  for (GevpOptions options : ways())
    for (const bool smallest : {false, true})
      for (const Index p : {1, 4}) {
        options.smallest = smallest;
        options.components = p;
        SCOPED_TRACE(name(options));
        const auto result = solve_gevp<S>(dense(pencil.a), dense(pencil.b), options);
        expect_answer(result, pencil, options);
        EXPECT_EQ(result.method,
                  options.method == GevpMethod::automatic ? GevpMethod::direct : options.method);
        EXPECT_EQ(result.iterations > 0, result.method != GevpMethod::direct);
      }
}

TYPED_TEST(GevpTest, SparseAndUnseenMatricesGiveTheSame) {
  using S = TypeParam;
  const Pencil<S> pencil(30);
  const auto unseen = [](const Matrix<S>& m) {
    return std::make_shared<CallbackOperator<S>>(m.rows(), [m](In<S> x, Out<S> y) { multiply<S>(m, x, y); });
  };
  for (GevpOptions options : ways()) {
    options.components = 3;
    SCOPED_TRACE(name(options));
    expect_answer(solve_gevp<S>(sparse(pencil.a), sparse(pencil.b), options), pencil, options);
    expect_answer(solve_gevp<S>(unseen(pencil.a), unseen(pencil.b), options), pencil, options);
  }
}

TYPED_TEST(GevpTest, AllEigenpairsAndOneByOneMatrices) {
  using S = TypeParam;
  for (const Index n : {1, 6}) {
    const Pencil<S> pencil(n);
    for (GevpOptions options : ways()) {
      options.components = n;
      SCOPED_TRACE(name(options));
      const auto result = solve_gevp<S>(dense(pencil.a), dense(pencil.b), options);
      EXPECT_LE((result.values.template cast<double>() - pencil.known(n, false)).norm(),
                rounding<S>(S(20 * pencil.known(n, false).norm()), 200));
    }
  }
}

TYPED_TEST(GevpTest, EigenvaluesScaleWithTheMatrices) {
  using S = TypeParam;
  const Pencil<S> pencil(30);
  for (GevpOptions options : ways()) {
    options.components = 2;
    SCOPED_TRACE(name(options));
    const auto result = solve_gevp<S>(dense<S>(S(1e-6) * pencil.a), dense<S>(S(1e6) * pencil.b), options);
    const Vector<double> known = 1e-12 * pencil.known(2, false);
    EXPECT_EQ(result.termination, Termination::converged);
    EXPECT_LE((result.values.template cast<double>() - known).norm(),
              (single<S> ? 2e-5 : 1e-10) * known.norm());
  }
}

TYPED_TEST(GevpTest, NoScaleOfTheMatricesMatters) {
  using S = TypeParam;
  const Pencil<S> pencil(30);
  const int large = single<S> ? 80 : 700, step = single<S> ? 60 : 600;  // exponents of 2
  const auto scaled = [](const Matrix<S>& m, int k) { return Matrix<S>(m * std::ldexp(S(1), k)); };
  for (GevpOptions options : ways()) {
    options.components = 2;
    SCOPED_TRACE(name(options));
    const auto plain = solve_gevp<S>(dense(pencil.a), dense(pencil.b), options);
    for (const auto& [ka, kb] : {std::pair{large, large}, std::pair{-large, -large}, std::pair{step, 0},
                                 std::pair{-step, 0}, std::pair{0, step}, std::pair{0, -step}})
      for (const bool as_sparse : {false, true}) {
        const Matrix<S> a = scaled(pencil.a, ka), b = scaled(pencil.b, kb);
        const auto result = as_sparse ? solve_gevp<S>(sparse(a), sparse(b), options)
                                      : solve_gevp<S>(dense(a), dense(b), options);
        EXPECT_EQ(result.termination, Termination::converged) << ka << " " << kb;
        EXPECT_TRUE(result.warnings.empty());
        EXPECT_LE(result.infeasibility, single<S> ? 1e-4 : 1e-12);
        for (Index j = 0; j < 2; ++j) {
          EXPECT_NEAR(std::ldexp(result.values(j), kb - ka), plain.values(j),
                      (single<S> ? 2e-5 : 1e-10) * static_cast<double>(plain.values(0)));
          // X'BX = I of the vectors as they are.
          const Vector<S> x = result.vectors.col(j) * std::ldexp(S(1), kb / 2);
          EXPECT_NEAR(x.dot(pencil.b * x), 1, single<S> ? 1e-4 : 1e-12);
        }
      }
  }
}

TYPED_TEST(GevpTest, NoUnitOfAVariableMatters) {
  using S = TypeParam;
  const Pencil<S> pencil(30);
  Vector<S> units(30);
  for (Index i = 0; i < 30; ++i) units(i) = std::ldexp(S(1), static_cast<int>(i * 7 % 31) - 15);
  const Matrix<S> a = units.asDiagonal() * pencil.a * units.asDiagonal(),
                  b = units.asDiagonal() * pencil.b * units.asDiagonal();
  for (GevpOptions options : ways()) {
    options.components = 2;
    SCOPED_TRACE(name(options));
    for (const bool as_sparse : {false, true}) {
      const auto result = as_sparse ? solve_gevp<S>(sparse(a), sparse(b), options)
                                    : solve_gevp<S>(dense(a), dense(b), options);
      EXPECT_TRUE(result.warnings.empty());
      EXPECT_LE((result.values.template cast<double>() - pencil.known(2, false)).norm(),
                single<S> ? 1e-4 : 1e-9);
      const Matrix<S> x = units.asDiagonal() * result.vectors;
      EXPECT_LE((x.transpose() * pencil.b * x - Matrix<S>::Identity(2, 2)).norm(), single<S> ? 1e-4 : 1e-12);
    }
  }
}

TYPED_TEST(GevpTest, EigenvaluesBeyondThePrecisionAreErrors) {
  using S = TypeParam;
  const int k = single<S> ? 100 : 900;
  const Matrix<S> a = Vector<S>::Constant(6, std::ldexp(S(1), k)).asDiagonal(),
                  b = Vector<S>::Constant(6, std::ldexp(S(1), -k)).asDiagonal();
  const std::string precision = single<S> ? "single" : "double", size = single<S> ? "60" : "542";
  for (const GevpOptions& options : ways()) {
    SCOPED_TRACE(name(options));
    const auto error = [&](const Matrix<S>& left, const Matrix<S>& right) {
      try {
        solve_gevp<S>(dense(left), dense(right), options);
      } catch (const NumericalError& failure) {
        return std::string(failure.what());
      }
      return std::string("no error");
    };
    EXPECT_EQ(error(a, b), "eigenvalue 1 is about 1e+" + size + ", too large for " + precision +
                               " precision; scale A or B");
    EXPECT_EQ(error(-b, a), "eigenvalue 1 is about -1e-" + size + ", too small for " + precision +
                                " precision; scale A or B");
  }
}

TYPED_TEST(GevpTest, ReasonsAreSaid) {
  using S = TypeParam;
  const Pencil<S> pencil(30);
  const auto a = dense(pencil.a), b = dense(pencil.b);
  const auto reason = [&](const GevpOptions& options) { return solve_gevp<S>(a, b, options).reason; };
  EXPECT_EQ(reason({}), "n = 30 is at most 2500, so a dense solve is cheap");
  EXPECT_EQ(reason({.method = GevpMethod::direct}), "requested");
  EXPECT_EQ(reason({.method = GevpMethod::lobpcg}), "requested");
  EXPECT_EQ(reason({.components = 7, .method = GevpMethod::lobpcg}),
            "requested; LAPACK is used because 7 components are more than a fifth of n = 30");
  EXPECT_EQ(reason({.method = GevpMethod::landing}), "requested; riemannian direction");
  EXPECT_EQ(reason({.method = GevpMethod::landing, .direction = Direction::metric}), "requested");

  const Vector<S> d = Vector<S>::LinSpaced(2600, 1, 2);
  const auto large = sparse_diagonal<S>(d), identity = sparse_diagonal<S>(Vector<S>::Ones(2600));
  const auto result = solve_gevp<S>(large, identity, {.max_iterations = 3});
  EXPECT_EQ(result.method, GevpMethod::lobpcg);
  EXPECT_EQ(result.reason, "n = 2600 is above 2500, so only products with A and B are used");
  EXPECT_EQ(solve_gevp<S>(large, identity, {.method = GevpMethod::landing, .max_iterations = 3}).reason,
            "requested; preconditioned direction");
}

TYPED_TEST(GevpTest, LimitsAndObserversEndTheRunWithWhatWasFound) {
  using S = TypeParam;
  const Pencil<S> pencil;
  const auto a = dense(pencil.a), b = dense(pencil.b);
  for (const auto method : {GevpMethod::lobpcg, GevpMethod::landing}) {
    const auto limited = solve_gevp<S>(a, b, {.components = 2, .method = method, .max_iterations = 3});
    EXPECT_EQ(limited.termination, Termination::iteration_limit);
    EXPECT_EQ(limited.iterations, 3U);
    ASSERT_EQ(limited.warnings.size(), 1U);
    EXPECT_EQ(
        limited.warnings[0].find(std::string(to_string(method)) +
                                 " did not converge: it reached the iteration limit after 3 iterations, "
                                 "and the largest residual is "),
        0U)
        << limited.warnings[0];
    EXPECT_LE(limited.infeasibility, rounding<S>(20)) << "of the vectors returned";
    EXPECT_TRUE(limited.vectors.allFinite());
    EXPECT_GT(limited.stationarity, 1e-3);
    EXPECT_LE(limited.values(0),
              S(pencil.known(1, false)(0)) * (1 + rounding<S>(1)));  // Ritz values are inside

    std::vector<GevpProgress> seen;
    const auto stopped =
        solve_gevp<S>(a, b, {.components = 2, .method = method, .observer = [&](const GevpProgress& p) {
                               seen.push_back(p);
                               return p.iteration < 5;
                             }});
    EXPECT_EQ(stopped.termination, Termination::stopped);
    EXPECT_EQ(stopped.iterations, 5U);
    EXPECT_EQ(seen.back().iteration, 5U);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end(),
                               [](const auto& x, const auto& y) { return x.iteration < y.iteration; }));
    EXPECT_TRUE(stopped.vectors.allFinite());
  }
}

TYPED_TEST(GevpTest, ToleranceIsWhatStopsTheRun) {
  using S = TypeParam;
  const Pencil<S> pencil;
  for (const auto method : {GevpMethod::lobpcg, GevpMethod::landing}) {
    const GevpOptions loose{.components = 2, .method = method, .tolerance = 1e-2};
    const auto early = solve_gevp<S>(dense(pencil.a), dense(pencil.b), loose);
    const auto late = solve_gevp<S>(dense(pencil.a), dense(pencil.b), {.components = 2, .method = method});
    EXPECT_EQ(early.termination, Termination::converged);
    EXPECT_LT(early.iterations, late.iterations);
    EXPECT_GT(early.stationarity, late.stationarity);
  }
}

TYPED_TEST(GevpTest, SeedsReproduceToTheBitAndMatter) {
  using S = TypeParam;
  const Pencil<S> pencil;
  for (GevpOptions options : ways()) {
    options.components = 3;
    options.seed = 7;
    options.max_iterations = 20;
    SCOPED_TRACE(name(options));
    const auto first = solve_gevp<S>(dense(pencil.a), dense(pencil.b), options);
    const auto again = solve_gevp<S>(dense(pencil.a), dense(pencil.b), options);
    EXPECT_EQ(first.values, again.values);
    EXPECT_EQ(first.vectors, again.vectors);
    EXPECT_EQ(first.iterations, again.iterations);
    options.seed = 8;
    const auto other = solve_gevp<S>(dense(pencil.a), dense(pencil.b), options);
    EXPECT_EQ(first.vectors == other.vectors, first.method == GevpMethod::direct);
  }
}

/// The text of the error of this type that solving throws.
template <class Error, class S>
std::string sentence(OperatorPtr<S> a, OperatorPtr<S> b, const GevpOptions& options) {
  try {
    solve_gevp<S>(a, b, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TYPED_TEST(GevpTest, MisuseIsNamed) {
  using S = TypeParam;
  const Pencil<S> pencil(6);
  const auto a = dense(pencil.a), b = dense(pencil.b);
  EXPECT_EQ((sentence<UsageError, S>(a, dense(Pencil<S>(5).b), {})),
            "A is 6x6, B is 5x5; expected the same size");
  EXPECT_EQ((sentence<UsageError, S>(a, nullptr, {})), "the generalized eigenproblem needs A and B");
  EXPECT_EQ((sentence<UsageError, S>(a, b, {.components = 0})),
            "0 components requested for 6x6 matrices, expected 1 to 6");
  EXPECT_EQ((sentence<NumericalError, S>(a, b, {.components = 7})),
            "7 components requested for 6x6 matrices, expected 1 to 6");
  EXPECT_EQ((sentence<UsageError, S>(a, b, {.tolerance = -1})), "the tolerance must not be negative, got -1");
  EXPECT_NE((sentence<UsageError, S>(a, b, {.tolerance = std::nan("")})), "no error");
}

TYPED_TEST(GevpTest, EveryMethodRefusesABThatIsNotPositiveDefinite) {
  using S = TypeParam;
  const Index n = 30;
  const auto a = dense(random_symmetric<S>(n, 3));
  Vector<double> spectrum = Vector<double>::LinSpaced(n, 1, 2);
  spectrum(4) = -1e-2;  // one small negative eigenvalue, which a few products would not meet
  const Matrix<S> indefinite = with_spectrum<S>(spectrum, 4);
  Matrix<S> singular = random_spd<S>(n, 10, 5);
  singular.row(3) = singular.row(8);
  singular.col(3) = singular.col(8);
  Matrix<S> block = Matrix<S>::Identity(n, n);
  block(2, 2) = 0;

  for (const GevpOptions& options : ways()) {
    SCOPED_TRACE(name(options));
    for (const auto& [b, start] :
         {std::pair{indefinite, "B is not positive definite: its leading "},
          std::pair{singular, "B is singular to working precision: its rank is 29 of 30"},
          std::pair{block, "B is singular to working precision: its rank is 29 of 30"},
          std::pair{Matrix<S>(Matrix<S>::Zero(n, n)), "B is singular to working precision: its rank is 0"}}) {
      EXPECT_EQ((sentence<DataError, S>(a, dense(b), options)).find(start), 0U) << start;
      EXPECT_EQ((sentence<DataError, S>(a, sparse(b), options)).find(start), 0U) << start;
    }
  }
}

TYPED_TEST(GevpTest, EntriesShowThatALargeSparseBIsNotPositiveDefinite) {
  using S = TypeParam;
  const Index n = 2600;
  const auto a = sparse_diagonal<S>(Vector<S>::Ones(n));
  Vector<S> d = Vector<S>::Ones(n);
  d(41) = -2;
  Eigen::SparseMatrix<S> m(n, n);
  m.setIdentity();
  m.coeffRef(10, 20) = m.coeffRef(20, 10) = 3;
  for (const auto method : {GevpMethod::automatic, GevpMethod::lobpcg, GevpMethod::landing}) {
    EXPECT_EQ((sentence<DataError, S>(a, sparse_diagonal<S>(d), {.method = method})),
              "B is not positive definite: row 42, column 42 is -2");
    EXPECT_EQ((sentence<DataError, S>(a, std::make_shared<SparseOperator<S>>(m), {.method = method})),
              "B is not positive definite: row 21, column 11 is 3, too large for a diagonal of 1 and 1");
  }
}

TEST(GevpMethodTest, NamesGoBothWays) {
  for (const auto method :
       {GevpMethod::automatic, GevpMethod::direct, GevpMethod::lobpcg, GevpMethod::landing})
    EXPECT_EQ(parse_gevp_method(to_string(method)), method);
  try {
    parse_gevp_method("qr");
    FAIL() << "accepted an unknown method";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown method 'qr'; expected auto, direct, lobpcg or landing");
  }
}

}  // namespace landfall::test::gevp_test

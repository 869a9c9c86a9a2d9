// random_problems FIRST COUNT [JSON]: fits COUNT problems from the seed FIRST on and compares each with its reference. Each is
// right, warned of, or refused; what is wrong without a word is listed with its seed, and makes the exit code 1. Warned
// results are compared too: of a warning that comes with right numbers again and again the text is counted, so that it can be
// made rarer. With LANDFALL_TORTURE_WARNINGS set, these counts are printed.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/gevp/gevp.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/lda/lda.hpp>
#include <landfall/parallel/threads.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "problem_data.hpp"
#include "reference.hpp"
#include <fmt/format.h>

namespace landfall::torture {
namespace {

enum class Verdict { right, warned_right, warned, refused, wrong };

struct Outcome {
  Verdict verdict = Verdict::right;
  std::string what = {};                   // of a wrong one
  std::vector<std::string> warnings = {};  // or the error
};

Outcome wrong(std::string what) {
  return {Verdict::wrong, std::move(what)};
}

/// What becomes of a comparison where the run had something to say.
Outcome with_warnings(Outcome outcome, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return outcome;
  outcome.verdict = outcome.verdict == Verdict::right ? Verdict::warned_right : Verdict::warned;
  outcome.warnings = warnings;
  return outcome;
}

/// How far numbers between 0 and 1 may be off without a warning: what a user would read from the table.
template <class S>
double tolerance(FitMethod method) {
  if (method == FitMethod::landing) return 2e-2;
  return sizeof(S) == 8 ? 1e-4 : 1e-2;
}

template <class S>
SourcePtr<S> source(const Matrix<double>& rows, const char* name) {
  return std::make_unique<MemorySource<S>>(RowMatrix<S>(rows.cast<S>()), name);
}

/// How a model is fitted. Streamed: most rows are not among the first, which landing keeps in memory.
struct Way {
  FitMethod method = FitMethod::automatic;
  bool streamed = false;
};

/// What the scalar can hold: the reference is of the same numbers.
template <class S>
Matrix<double> stored(const Matrix<double>& rows) {
  return rows.cast<S>().template cast<double>();
}

/// Values that should be those of the reference, the largest first.
Outcome compare(const Vector<double>& found, const Vector<double>& expected, double tolerance,
                const char* name) {
  for (Index i = 0; i < found.size(); ++i) {
    const double should = i < expected.size() ? expected(i) : 0;
    if (!(std::abs(found(i) - should) <= tolerance))
      return wrong(fmt::format("{} {} is {:.6g}, expected {:.6g}", name, i + 1, found(i), should));
  }
  return {};
}

/// Pearson's correlation in extended precision of the scores that the weights give.
Vector<double> score_correlations(const Matrix<double>& left, const Matrix<double>& right,
                                  const LongMatrix& x, const LongMatrix& y) {
  const LongMatrix a = centred(left) * x, b = centred(right) * y;
  Vector<double> result(a.cols());
  for (Index j = 0; j < a.cols(); ++j)
    result(j) = static_cast<double>(a.col(j).dot(b.col(j)) / (a.col(j).norm() * b.col(j).norm()));
  return result;
}

template <class S>
Outcome try_cca(Draw& draw, const Way& way, std::string& told) {
  const Index rows = way.streamed ? draw.whole(200, 3000) : draw.rows(), n = draw.whole(1, 7),
              m = draw.whole(1, 7), shared = draw.whole(1, 3);
  const Matrix<double> latent = draw.normals(rows, shared);
  const auto view = [&](Index cols) {
    return hostile_view(
        draw, latent * draw.normals(shared, cols) + draw.uniform(0.1, 2) * draw.normals(rows, cols), told);
  };
  const Matrix<double> left = stored<S>(view(n)), right = stored<S>(view(m));
  const Index p = draw.whole(1, std::min(n, m));
  told = fmt::format("N {} n {} {} p {}", rows, n, m, p) + told;
  FitOptions options{.components = p, .method = way.method};
  if (way.streamed) options.first_rows = draw.whole(64, 160);
  const auto fit = fit_cca<S>(source<S>(left, "left"), source<S>(right, "right"), options);
  if (!fit.correlations.allFinite()) return wrong("correlations are not finite");
  const Vector<double> scores = score_correlations(left, right, fit.views[0].weights.template cast<Long>(),
                                                   fit.views[1].weights.template cast<Long>());
  if (const Outcome own =
          compare(fit.correlations, scores, tolerance<S>(FitMethod::exact), "correlation of scores");
      own.verdict == Verdict::wrong)
    return with_warnings(own, fit.warnings);
  const CcaReference reference = cca_reference(left, right);
  return with_warnings(
      compare(fit.correlations, reference.correlations, tolerance<S>(way.method), "correlation"),
      fit.warnings);
}

template <class S>
Outcome try_lda(Draw& draw, const Way& way, std::string& told) {
  const Index rows = way.streamed ? draw.whole(200, 3000) : draw.rows(), n = draw.whole(1, 8),
              c = draw.whole(2, std::min<Index>(4, rows));
  std::vector<std::uint32_t> classes(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < classes.size(); ++i)
    classes[i] = static_cast<std::uint32_t>(i < static_cast<std::size_t>(c) ? static_cast<Index>(i)
                                                                            : draw.whole(0, c - 1));
  const Matrix<double> centres = draw.normals(c, n) * draw.uniform(0, 2);
  Matrix<double> data = draw.normals(rows, n);
  for (Index i = 0; i < rows; ++i) data.row(i) += centres.row(classes[static_cast<std::size_t>(i)]);
  data = stored<S>(hostile_view(draw, data, told));
  const Index p = draw.whole(1, std::min(n, c - 1));
  told = fmt::format("N {} n {} classes {} p {}", rows, n, c, p) + told;
  std::vector<std::string> names;
  for (Index k = 0; k < c; ++k) names.push_back(fmt::format("c{}", k));
  FitOptions options{.components = p, .method = way.method};
  if (way.streamed) options.first_rows = draw.whole(64, 160);
  const auto fit = fit_lda<S>(source<S>(data, "data"), Labels("labels", names, classes), options);
  if (!fit.eigenvalues.allFinite()) return wrong("eigenvalues are not finite");
  const Vector<double> shares = (fit.eigenvalues.array() / (1 + fit.eigenvalues.array())).matrix();
  return with_warnings(compare(shares, lda_reference(data, classes, c).shares, tolerance<S>(way.method),
                               "share between classes"),
                       fit.warnings);
}

/// Sources that are what they say: uncorrelated, of unit variance, and at a stationary point of the contrast.
template <class S>
Outcome compare_sources(const IcaResult<S>& fit, const Matrix<double>& data) {
  const auto& weights = fit.views[0].weights;
  const Index p = weights.cols();
  const LongMatrix y = centred(data) * weights.template cast<Long>();
  const Long count = static_cast<Long>(data.rows());
  const LongMatrix covariance = y.transpose() * y / count;
  const double limit = sizeof(S) == 8 ? 1e-4 : 2e-2;
  const double off = static_cast<double>((covariance - LongMatrix::Identity(p, p)).cwiseAbs().maxCoeff());
  if (!(off <= limit)) return wrong(fmt::format("covariance of the sources is off by {:.2g}", off));
  const LongMatrix g = y.array().tanh().matrix().transpose() * y / count;
  for (Index i = 0; i < p; ++i)
    for (Index j = 0; j < i; ++j) {
      const double turn = static_cast<double>(Long(fit.signs(i)) * g(i, j) - Long(fit.signs(j)) * g(j, i));
      if (!(std::abs(turn) <= 2e-2))
        return wrong(fmt::format("sources {} and {} turn by {:.2g}", i + 1, j + 1, turn));
    }
  return {};
}

template <class S>
Outcome try_ica(Draw& draw, const Way& way, std::string& told) {
  const Index rows = draw.rows(), n = draw.whole(1, 6);
  Matrix<double> sources(rows, n);
  for (Index j = 0; j < n; ++j) {
    const Index kind = draw.whole(0, 2);
    for (Index i = 0; i < rows; ++i) {
      const double u = draw.uniform(-1, 1);
      sources(i, j) = kind == 0 ? u : kind == 1 ? std::copysign(std::log1p(-std::abs(u)), u) : draw.normal();
    }
  }
  const Matrix<double> data = stored<S>(hostile_view(draw, sources * draw.normals(n, n), told));
  const Index p = draw.whole(1, n);
  told = fmt::format("N {} n {} p {}", rows, n, p) + told;
  const auto fit = fit_ica<S>(source<S>(data, "data"), {.components = p, .method = way.method});
  if (!fit.views[0].weights.allFinite() || !fit.mixing.allFinite()) return wrong("weights are not finite");
  return with_warnings(compare_sources(fit, data), fit.warnings);
}

template <class S>
Outcome try_gevp(Draw& draw, GevpMethod method, std::string& told) {
  const Index n = draw.whole(2, 12), p = draw.whole(1, std::max<Index>(1, n / 2));
  const double power = draw.chance(0.5) ? draw.uniform(0, 12) : draw.uniform(0, 2);
  const auto scale = [&] { return draw.chance(0.4) ? std::pow(10, draw.uniform(-12, 12)) : 1.0; };
  const double scale_a = scale(), scale_b = scale();
  Matrix<double> a = draw.normals(n, n);
  a = (a + a.transpose()).eval() * scale_a;
  if (draw.chance(0.15)) {
    const Matrix<double> low = draw.normals(n, std::max<Index>(1, n / 3));
    a = low * low.transpose() * scale_a;
  }
  const Matrix<double> turn = draw.rotation(n);
  Matrix<double> b = turn * draw.spectrum(n, std::pow(10, power)).asDiagonal() * turn.transpose() * scale_b;
  b = (b + b.transpose()).eval() / 2;
  if (draw.chance(0.3)) {
    Vector<double> units(n);
    for (Index i = 0; i < n; ++i) units(i) = std::pow(10, draw.uniform(-6, 6));
    a = (units.asDiagonal() * a * units.asDiagonal()).eval();
    b = (units.asDiagonal() * b * units.asDiagonal()).eval();
    told += " units";
  }
  a = stored<S>(a);
  b = stored<S>(b);
  const bool smallest = draw.chance(0.3);
  told = fmt::format("n {} p {} condition 1e{:.0f} scales {:.0e} {:.0e}{}", n, p, power, scale_a, scale_b,
                     smallest ? " smallest" : "") +
         told;
  const auto result = solve_gevp<S>(std::make_shared<DenseOperator<S>>(Matrix<S>(a.cast<S>())),
                                    std::make_shared<DenseOperator<S>>(Matrix<S>(b.cast<S>())),
                                    {.components = p, .smallest = smallest, .method = method});
  if (!result.values.allFinite() || !result.vectors.allFinite()) return wrong("not finite");
  LongVector expected = gevp_reference(a, b);
  if (expected.size() == 0) return with_warnings(wrong("B is not positive definite"), result.warnings);
  const Long largest = expected.cwiseAbs().maxCoeff();
  if (smallest) expected = expected.reverse().eval();
  // A backward stable method is off by condition(B) eps; of B with its units taken out, which do not matter.
  const LongVector units = b.diagonal().cast<Long>().cwiseSqrt().cwiseInverse();
  const LongMatrix plain = units.asDiagonal() * b.cast<Long>() * units.asDiagonal();
  const LongVector spectrum = Eigen::SelfAdjointEigenSolver<LongMatrix>(plain).eigenvalues();
  const double condition = static_cast<double>(spectrum(n - 1) / std::abs(spectrum(0)));
  const double base = method == GevpMethod::landing ? 1e-3 : sizeof(S) == 8 ? 1e-6 : 1e-3;
  const double allowed =
      std::max(base, 100 * condition * static_cast<double>(std::numeric_limits<S>::epsilon()));
  for (Index i = 0; i < p; ++i) {
    const double off = static_cast<double>(std::abs(Long(result.values(i)) - expected(i)) / largest);
    if (!(off <= allowed))
      return with_warnings(
          wrong(fmt::format("eigenvalue {} is {:.6g}, expected {:.6g}; {:.1e} of the largest, {:.1e} allowed",
                            i + 1, double(result.values(i)), double(expected(i)), off, allowed)),
          result.warnings);
  }
  return with_warnings({}, result.warnings);
}

struct Tally {
  std::map<Verdict, int> count;
  std::vector<std::string> wrong;
  std::map<std::string, std::pair<int, int>> warnings;  // without numbers: with right and with other results
};

/// Words of a warning without its numbers.
std::string kind_of(const std::string& warning) {
  std::string kind;
  for (const char c : warning) {
    const bool number = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
    if (!number)
      kind += c;
    else if (kind.empty() || kind.back() != '#')
      kind += '#';
  }
  return kind.substr(0, 110);
}

template <class Try>
void judge(Tally& tally, std::uint64_t seed, Try attempt) {
  std::string told;
  Outcome outcome;
  try {
    outcome = attempt(told);
  } catch (const DataError& error) {
    outcome = {.verdict = Verdict::refused, .warnings = {error.what()}};
  } catch (const NumericalError& error) {
    outcome = {.verdict = Verdict::refused, .warnings = {error.what()}};
  } catch (const std::exception& error) {
    outcome = wrong(fmt::format("throws: {}", error.what()));
  }
  ++tally.count[outcome.verdict];
  for (const auto& warning : outcome.warnings) {
    auto& [right, other] = tally.warnings[kind_of(warning)];
    ++(outcome.verdict == Verdict::warned_right ? right : other);
  }
  if (outcome.verdict == Verdict::wrong)
    tally.wrong.push_back(fmt::format("seed {}: {} ({})", seed, outcome.what, told));
}

}  // namespace
}  // namespace landfall::torture

int main(int count, char** words) {
  using namespace landfall;
  using namespace landfall::torture;
  if (count < 3) return std::fputs("usage: random_problems FIRST COUNT [JSON]\n", stderr), 2;
  set_threads(1);
  const std::uint64_t first = std::strtoull(words[1], nullptr, 10),
                      problems = std::strtoull(words[2], nullptr, 10);
  const auto begin = std::chrono::steady_clock::now();
  std::map<std::string, Tally> tallies;
  for (std::uint64_t seed = first; seed < first + problems; ++seed) {
    const bool single = seed / 8 % 4 == 3;
    const auto run = [&](const std::string& name, auto in_single, auto in_double) {
      judge(tallies[name + (single ? ", single" : "")], seed, [&](std::string& told) {
        Draw draw(seed);
        return single ? in_single(draw, told) : in_double(draw, told);
      });
    };
    const auto fit = [&](const std::string& name, Way way, auto one, auto two) {
      run(
          name, [&](Draw& d, std::string& t) { return one(d, way, t); },
          [&](Draw& d, std::string& t) { return two(d, way, t); });
    };
    const auto gevp = [&](const std::string& name, GevpMethod method) {
      run(
          name, [&](Draw& d, std::string& t) { return try_gevp<float>(d, method, t); },
          [&](Draw& d, std::string& t) { return try_gevp<double>(d, method, t); });
    };
    const bool other = seed / 64 % 2 == 1;  // half of the problems that landing solves
    const Way landing{FitMethod::landing, other};
    switch (seed % 8) {
      case 0:
        fit("cca exact", {FitMethod::exact}, try_cca<float>, try_cca<double>);
        break;
      case 1:
        fit("cca automatic", {}, try_cca<float>, try_cca<double>);
        break;
      case 2:
        fit(other ? "cca landing, streamed" : "cca landing", landing, try_cca<float>, try_cca<double>);
        break;
      case 3:
        fit("lda exact", {FitMethod::exact}, try_lda<float>, try_lda<double>);
        break;
      case 4:
        fit(other ? "lda landing, streamed" : "lda landing", landing, try_lda<float>, try_lda<double>);
        break;
      case 5:
        fit(other ? "ica landing" : "ica", {other ? FitMethod::landing : FitMethod::automatic},
            try_ica<float>, try_ica<double>);
        break;
      case 6:
        gevp("gevp direct", GevpMethod::direct);
        break;
      default:
        gevp(seed / 32 % 2 ? "gevp lobpcg" : "gevp landing",
             seed / 32 % 2 ? GevpMethod::lobpcg : GevpMethod::landing);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::size_t failures = 0;
  std::string json;
  constexpr std::array names{std::pair(Verdict::right, "right"),
                             std::pair(Verdict::warned_right, "warned_right"),
                             std::pair(Verdict::warned, "warned"), std::pair(Verdict::refused, "refused"),
                             std::pair(Verdict::wrong, "wrong")};
  fmt::print("{:<32}", "");
  for (const auto& [verdict, word] : names) fmt::print("{:>14}", word);
  fmt::print("\n");
  for (auto& [name, tally] : tallies) {
    std::string counts;
    fmt::print("{:<32}", name);
    for (const auto& [verdict, word] : names) {
      const int number = tally.count[verdict];
      fmt::print("{:>14}", number);
      counts += fmt::format("{}\"{}\": {}", counts.empty() ? "" : ", ", word, number);
    }
    fmt::print("\n");
    for (const auto& line : tally.wrong) fmt::print("  {}\n", line);
    if (std::getenv("LANDFALL_TORTURE_WARNINGS"))
      for (const auto& [kind, both] : tally.warnings)
        fmt::print("  {:>5} right {:>5} not  {}\n", both.first, both.second, kind);
    failures += tally.wrong.size();
    json += fmt::format("{}\n  \"{}\": {{{}}}", json.empty() ? "" : ",", name, counts);
  }
  fmt::print("{} problems in {:.1f} s\n", problems, seconds);
  if (count > 3)
    std::ofstream(words[3]) << fmt::format(
        "{{\"first\": {}, \"problems\": {}, \"seconds\": {:.1f}, \"kinds\": {{{}\n}}}}\n", first, problems,
        seconds, json);
  return failures == 0 ? 0 : 1;
}

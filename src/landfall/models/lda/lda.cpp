#include <landfall/data/io/checksum.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/fit/column_loadings.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/fit/defaults.hpp>
#include <landfall/models/fit/pipeline.hpp>
#include <landfall/models/fit/warnings.hpp>
#include <landfall/models/lda/discriminant.hpp>
#include <landfall/models/lda/lda.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

[[noreturn]] void singular(const std::string& name, double ridge) {
  throw NumericalError(fmt::format(
      "{}: the covariance within classes is singular, expected a ridge above {:.3g}", name, ridge));
}

/// How many rows of each class (row) are nearest to the centre of each (column), of a part of the rows; their weights as given where they
/// have some.
struct Confusion {
  Matrix<double> counts;
  Index rows = 0;
};

template <class S>
Confusion confusion(DataStream<S>& stream, Part part, const Labels& labels, In<S> x,
                    const LdaResult<S>& result) {
  Confusion found{Matrix<double>::Zero(labels.classes(), labels.classes())};
  Scratch<S> scores;
  stream.begin_pass(0, part);
  while (stream.next()) {
    auto& a = scores.resize(stream.view(0).rows(), x.cols());
    stream.view(0).times(x, a);
    const Vector<S> roots = stream.view(0).roots();
    if (stream.weighted()) a.array().colwise() /= roots.array();
    const auto nearest = nearest_centres(a.template cast<double>(), result.centres, result.priors);
    for (std::size_t i = 0; i < nearest.size(); ++i)
      found.counts(labels.of(stream.view(0).batch.numbers()[i]), nearest[i]) +=
          std::pow(static_cast<double>(roots(static_cast<Index>(i))), 2);
    found.rows += static_cast<Index>(nearest.size());
  }
  reduce(stream.communicator(), found.counts, found.rows);
  found.counts *= stream.weight_unit();
  return found;
}

template <class S>
class LdaModel final : public Model<S> {
 public:
  LdaModel(const Labels& labels, LdaResult<S>& result)
      : labels_(&labels), result_(result), present_(labels.classes()) {}

  void validate(const FitOptions& options) const override {
    if (options.transform.centring == Centring::none || options.transform.centring == Centring::running)
      throw UsageError("LDA needs the mean of all rows; expected automatic or exact centring");
  }

  void begin(Fit<S>& fit) override {
    const Source<S>& source = fit.stream.source(0);
    if (source.rows()) labels_->expect_rows(source.name(), *source.rows());  // a text file has been read now
    if (fit.stream.communicator().size() > 1 && fit.stream.rank_rows() == RankRows::own)
      labels_ = &all_.emplace(labels_->of_ranks(fit.stream.first_row(), fit.stream.communicator()));
    classes_ = class_means(fit.stream, *labels_);
    present_ = classes_.present();
    if (present_ < 2)
      throw DataError(fmt::format("{}: {} class among the labels of {} rows, expected at least 2",
                                  source.name(), present_, classes_.rows));
  }

  Index components(const FitOptions& options, const std::vector<Index>& features) const override {
    const Index p = options.components;
    if (p > present_ - 1)
      throw NumericalError(
          fmt::format("p = {}, expected at most {}: {} classes span at most one dimension less", p,
                      present_ - 1, present_));
    return p > 0 ? p : std::max<Index>(1, directions(features[0]));
  }

  RidgeChoice automatic_ridge(Fit<S>& fit) override {
    const Index n = fit.features()[0], rows = classes_.rows - present_;
    if (const Index j = constant_within_classes(fit.stream); j >= 0)
      return {kLdaRidgeRows, fmt::format("column {} does not vary within classes", j + 1)};
    if (2 * rows >= 3 * n) return {};
    return {kLdaRidgeRows,
            fmt::format("{} rows in {} classes are few for {} columns", classes_.rows, present_, n)};
  }

  double fading_ridge(Fit<S>& fit) override {
    const Index n = fit.features()[0];
    return few_first_rows(classes_.rows - present_, n, n) ? kLdaRidgeRows : 0;
  }

  Workload workload(const FitOptions& options, const std::vector<Index>& features, Index p, bool sparse,
                    const SourceSample& sample) const override {
    const Index guard = std::max<Index>(0, options.guard.value_or(lda_guard(p)));
    Workload work = landing_workload<S>(options, features, p, std::min(directions(features[0]), p + guard),
                                        sparse, sample);
    // S_t, S_b and what the solver makes of them, in double precision.
    work.squares = 4.0 * 8 * static_cast<double>(features[0]) * static_cast<double>(features[0]);
    work.more_readings = 3;
    return work;
  }

  /// S_b x = mu (S_t + ridge I) x, summed in double precision, within the range of the right side.
  Solved<S> exact(Fit<S>& fit) override {
    require_rows(fit);
    const double ridge = result_.views[0].ridge;
    Matrix<double> total = std::move(covariances<S, double>(fit.stream).within[0]);
    total.diagonal().array() += ridge;
    Matrix<double> between = between_covariance<double>(classes_);
    const Index n = total.rows(), most = directions(n);
    if (numerical_rank<double>(total) == n) {
      const Vector<double> scale = total.diagonal().cwiseSqrt().cwiseInverse();
      total = scale.asDiagonal() * total * scale.asDiagonal();
      between = scale.asDiagonal() * between * scale.asDiagonal();
      const auto eigen = solve_pencil<double>(std::move(between), std::move(total), most);
      exact_ = scale.asDiagonal() * eigen.vectors;
    } else {
      const Matrix<double> range = orthonormalizing_factor<double>(total);
      const Index rank = range.cols();
      require_rank(fit, std::min(rank, most));
      if (rank < n) result_.warnings.push_back(dependent_columns(fit.stream.source(0).name(), n, rank));
      between = range.transpose() * between * range;
      const auto eigen = solve_pencil<double>(std::move(between), Matrix<double>::Identity(rank, rank),
                                              std::min(rank, most));
      exact_ = range * eigen.vectors;
    }
    return {{exact_.template cast<S>()}, {}, {}};
  }

  Solved<S> land(Fit<S>& fit) override {
    require_rows(fit);
    Checksum means;
    means.add(
        std::as_bytes(std::span(classes_.means.data(), static_cast<std::size_t>(classes_.means.size()))));
    return land_adaptively(fit, between_objective<S>(classes_), means.value());
  }

  void finish(Fit<S>& fit, Solved<S> solved) override {
    const Index p = fit.components, columns = solved.x[0].cols();
    const double ridge = result_.views[0].ridge;
    Matrix<double> x = fit.exact() ? std::move(exact_) : Matrix<double>(solved.x[0].template cast<double>());
    Matrix<double> products;  // of the columns with the deviations of the scores within classes
    auto moments = discriminant_moments<S>(fit.stream, *labels_, classes_, solved.x[0],
                                           loadings_fit(fit, columns) ? &products : nullptr);
    const Matrix<double> within = moments.within;
    result_.samples = moments.rows;
    moments.within += ridge * x.transpose() * x;
    result_.views[0].method_infeasibility = distance_to_identity(moments.within + moments.between);
    auto rotation = discriminant_rotation(moments, columns);
    // 1 - mu = 1 / (1 + lambda): the fraction of the variance in this direction that is within classes.
    if (ridge == 0 && 1 <= rank_tolerance<double>(fit.features()[0]) * (1 + rotation.eigenvalues(0)))
      singular(fit.stream.source(0).name(), 0);
    const double sum = rotation.eigenvalues.sum();
    result_.eigenvalues = rotation.eigenvalues.head(p);
    if (columns == directions(fit.features()[0]))
      result_.explained_ratio = sum > 0 ? Vector<double>(result_.eigenvalues / sum) : Vector<double>::Zero(p);
    rotation.vectors.conservativeResize(Eigen::NoChange, p);
    result_.views[0].infeasibility =
        distance_to_identity(rotation.vectors.transpose() * moments.within * rotation.vectors);
    if (fit.exact()) result_.views[0].method_infeasibility = result_.views[0].infeasibility;
    x *= rotation.vectors;
    const Vector<double> signs = signs_of_largest(x);
    x *= signs.asDiagonal();
    rotation.vectors *= signs.asDiagonal();
    set_weights(fit.stream, 0, unscaled(fit.stream, 0, x), result_.views[0]);
    result_.classes.assign(labels_->names().begin(), labels_->names().end());
    result_.priors = classes_.priors;
    result_.centres.resize(p, labels_->classes());
    multiply_at<double>(x, classes_.means, result_.centres);
    if (products.size() > 0)
      set_loadings(fit, products * rotation.vectors,
                   rotation.vectors.transpose() * within * rotation.vectors);

    const Matrix<S> weights = x.template cast<S>();
    result_.confusion = confusion<S>(fit.stream, Part::training, *labels_, weights, result_).counts;
    result_.training_accuracy = result_.confusion.trace() / result_.confusion.sum();
    if (fit.options.holds_out()) {
      Confusion held = confusion<S>(fit.stream, Part::held_out, *labels_, weights, result_);
      result_.held_out_samples = held.rows;
      if (held.rows > 0) {
        const double weight = held.counts.sum();
        if (fit.options.weights) result_.held_out_sum_of_weights = weight;
        result_.held_out_accuracy = held.counts.trace() / weight;
        result_.held_out_confusion = std::move(held.counts);
      }
    }
  }

 private:
  static bool loadings_fit(const Fit<S>& fit, Index columns) {
    return static_cast<double>(fit.features()[0]) * static_cast<double>(columns) * (8 + sizeof(S)) <=
           static_cast<double>(fit.options.memory) / 4;
  }

  /// Of the products E a d' of columns with the deviations d of scores within classes, and E d d'.
  void set_loadings(Fit<S>& fit, const Matrix<double>& within, const Matrix<double>& scores) {
    const ColumnSpread all = column_spread(fit.stream, 0);
    const Matrix<double> centres = result_.centres * classes_.priors.asDiagonal();  // p x C, weighted
    const Vector<double> between = (classes_.means.cwiseAbs2() * classes_.priors);
    const ColumnSpread own{Vector<double>::Zero(between.size()),
                           (all.deviation.cwiseAbs2() - between).cwiseMax(0).cwiseSqrt()};
    const Matrix<double> total = within + classes_.means * centres.transpose();
    const Matrix<double> loadings =
        column_loadings(total, all, score_spread(scores + centres * result_.centres.transpose(), {}));
    FittedView<S>& view = result_.views[0];
    view.explained = mean_square(loadings);
    view.loadings = with_dropped_columns(fit.stream, 0, loadings);
    result_.within_loadings =
        with_dropped_columns(fit.stream, 0, column_loadings(within, own, score_spread(scores, {})));
  }

  /// S_b has no more.
  Index directions(Index features) const { return std::min(present_ - 1, features); }

  /// The first column whose variance is all between classes; -1 where there is none.
  Index constant_within_classes(const DataStream<S>& stream) const {
    const auto& kept = stream.transform(0).kept();
    for (Index j = 0; j < classes_.means.rows(); ++j) {
      const Index column = kept[static_cast<std::size_t>(j)];
      const double scale = stream.transform(0).scale()(j);
      const double total = stream.statistics(0)->variance(column) / (scale * scale);
      const double between =
          (classes_.means.row(j).transpose().array().square() * classes_.priors.array()).sum();
      if (total - between <= static_cast<double>(rank_tolerance<S>(1)) * total) return column;
    }
    return -1;
  }

  /// Fewer directions where p was left to the model; an error where it was given.
  void require_rank(Fit<S>& fit, Index rank) const {
    if (fit.options.components > rank || rank == 0)
      throw NumericalError(fmt::format("{}: the classes vary in {} directions, expected at least p = {}",
                                       fit.stream.source(0).name(), rank, fit.components));
    fit.components = std::min(fit.components, rank);
  }

  void require_rows(const Fit<S>& fit) const {
    if (result_.views[0].ridge == 0 && classes_.rows - present_ < fit.features()[0])
      singular(fit.stream.source(0).name(), 0);
  }

  const Labels* labels_;
  std::optional<Labels> all_;  // with the classes of all ranks, where each has rows of its own
  LdaResult<S>& result_;
  Index present_;  // classes that have training rows
  ClassMeans classes_;
  Matrix<double> exact_;  // what exact() found, in double precision
};

}  // namespace

template <class S>
LdaResult<S> fit_lda(SourcePtr<S> data, const Labels& labels, const LdaOptions& options) {
  if (!data->rewindable())
    throw UsageError(fmt::format("{}: can be read only once, but LDA reads it several times; expected a file",
                                 data->name()));
  if (data->rows()) labels.expect_rows(data->name(), *data->rows());
  LdaResult<S> result;
  LdaModel<S> model(labels, result);
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::move(data));
  fit_model<S>(model, std::move(sources), options, result);
  return result;
}

template <class S>
Plan plan_lda(Source<S>& data, const Labels& labels, const LdaOptions& options) {
  LdaResult<S> result;
  const LdaModel<S> model(labels, result);
  return shown_plan<S>(model_workload<S>(model, {&data}, options), options.memory, options.method);
}

ClassRates class_rates(const Matrix<double>& confusion) {
  const Vector<double> right = confusion.diagonal(), predicted = confusion.colwise().sum().transpose(),
                       rows = confusion.rowwise().sum();
  const auto share = [&](const Vector<double>& of) {
    return Vector<double>((of.array() > 0).select(right.cwiseQuotient(of), 0));
  };
  return {share(predicted), share(rows)};
}

template <class S>
std::vector<Index> predict(const LdaResult<S>& result, const Batch<S>& rows) {
  return nearest_centres(transform(result.views[0], rows).template cast<double>(), result.centres,
                         result.priors);
}

template <class S>
double score(const LdaResult<S>& result, const Batch<S>& rows, const Labels& labels) {
  const auto predicted = predict(result, rows);
  Index right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    right += result.classes[static_cast<std::size_t>(predicted[i])] ==
             labels.names()[static_cast<std::size_t>(labels.of(rows.numbers()[i]))];
  return predicted.empty() ? 0 : static_cast<double>(right) / static_cast<double>(predicted.size());
}

LANDFALL_LDA(, float)
LANDFALL_LDA(, double)

}  // namespace landfall

#include <landfall/baselines/view_products.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>

#include <utility>

#include <fmt/format.h>

namespace landfall {

template <class S>
void ViewProducts<S>::multiply(const Point<S>& x, Point<S>* within, Point<S>* cross) const {
  if (x.size() != 2) throw UsageError(fmt::format("{} blocks, expected one for each of two views", x.size()));
  for (std::size_t i = 0; i < 2; ++i)
    if (x[i].cols() > 0 && x[i].rows() != features_[i])
      throw UsageError(
          fmt::format("view {} has {} columns, got a block of {} rows", i + 1, features_[i], x[i].rows()));
  for (Point<S>* out : {within, cross})
    if (out) out->resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    if (within) (*within)[i].setZero(features_[i], x[i].cols());
    if (cross) (*cross)[i].setZero(features_[i], x[1 - i].cols());
  }
  multiply_impl(x, within, cross);
}

template <class S>
HeldProducts<S>::HeldProducts(std::vector<Matrix<S>> within, Matrix<S> cross)
    : ViewProducts<S>({cross.rows(), cross.cols()}), within_(std::move(within)), cross_(std::move(cross)) {}

template <class S>
Vector<S> HeldProducts<S>::diagonal() const {
  Vector<S> all(cross_.rows() + cross_.cols());
  all << within_[0].diagonal(), within_[1].diagonal();
  return all;
}

template <class S>
void HeldProducts<S>::multiply_impl(const Point<S>& x, Point<S>* within, Point<S>* cross) const {
  for (std::size_t i = 0; i < 2; ++i) {
    if (x[i].cols() == 0) continue;
    if (within) multiply<S>(within_[i], x[i], (*within)[i]);
    if (cross && i == 0) multiply_at<S>(cross_, x[0], (*cross)[1]);
    if (cross && i == 1) landfall::multiply<S>(cross_, x[1], (*cross)[0]);
  }
}

template <class S>
StreamProducts<S>::StreamProducts(DataStream<S>& stream, std::array<double, 2> ridge)
    : ViewProducts<S>({static_cast<Index>(stream.transform(0).kept().size()),
                       static_cast<Index>(stream.transform(1).kept().size())}),
      stream_(stream),
      ridge_{static_cast<S>(ridge[0]), static_cast<S>(ridge[1])} {}

template <class S>
void StreamProducts<S>::multiply_impl(const Point<S>& x, Point<S>* within, Point<S>* cross) const {
  Index rows = 0;
  stream_.begin_pass(in_file_order);
  while (stream_.next()) {
    rows += stream_.view(0).rows();
    for (std::size_t i = 0; i < 2; ++i) {
      if (x[i].cols() == 0) continue;
      auto& scores = scores_[i].resize(stream_.view(i).rows(), x[i].cols());
      stream_.view(i).times(x[i], scores);
      if (within) stream_.view(i).transpose_times(scores, (*within)[i], 1, 1);
      if (cross) stream_.view(1 - i).transpose_times(scores, (*cross)[1 - i], 1, 1);
    }
  }
  passes_ += 1;
  const S scale = S(1) / static_cast<S>(std::max<Index>(rows, 1));
  for (std::size_t i = 0; i < 2; ++i) {
    if (within) (*within)[i] = scale * (*within)[i] + ridge_[i] * x[i];
    if (cross) (*cross)[i] *= scale;
  }
}

namespace {

/// A or B of view_pencil().
template <class S>
class ViewOperator final : public SymmetricOperator<S> {
 public:
  ViewOperator(std::shared_ptr<const ViewProducts<S>> views, bool cross)
      : SymmetricOperator<S>(views->features()[0] + views->features()[1]),
        views_(std::move(views)),
        cross_(cross) {}
  Vector<S> diagonal() const override { return cross_ ? Vector<S>() : views_->diagonal(); }

 protected:
  void apply_impl(In<S> x, Out<S> y) const override {
    const Index left = views_->features()[0], right = views_->features()[1];
    const Point<S> blocks{x.topRows(left), x.bottomRows(right)};
    Point<S> result;
    views_->multiply(blocks, cross_ ? nullptr : &result, cross_ ? &result : nullptr);
    y.topRows(left) = result[0];
    y.bottomRows(right) = result[1];
  }

 private:
  std::shared_ptr<const ViewProducts<S>> views_;
  bool cross_;
};

}  // namespace

template <class S>
Pencil<S> view_pencil(std::shared_ptr<const ViewProducts<S>> views) {
  return {std::make_shared<ViewOperator<S>>(views, true), std::make_shared<ViewOperator<S>>(views, false)};
}

LANDFALL_VIEW_PRODUCTS(, float)
LANDFALL_VIEW_PRODUCTS(, double)

}  // namespace landfall

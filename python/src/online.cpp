// OnlineModel: a model that rows are given to batch by batch, and that can be pickled at any time.
#include <landfall/data/formats/weights.hpp>
#include <landfall/models/cca/online_cca.hpp>
#include <landfall/models/ica/online_ica.hpp>
#include <landfall/models/lda/online_lda.hpp>

#include <mutex>

#include "convert.hpp"
#include "inputs.hpp"
#include "models.hpp"
#include "options.hpp"
#include "results.hpp"
#include <fmt/format.h>
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

constexpr Index kRows = 65536;  // read at a time
using Names = std::vector<std::string>;
using Weights = std::vector<double>;  // empty: all 1

/// One of the three models in one precision.
class AnyModel {
 public:
  virtual ~AnyModel() = default;
  virtual void add(Caller& caller, const std::vector<InputPtr>& views, const Names& labels,
                   const Weights& weights) = 0;
  virtual py::dict result(Caller& caller) = 0;
  virtual void state(State& state) = 0;

 protected:
  /// For one call at a time, whether or not anybody still waits for it: the next one waits until an interrupted one has ended.
  std::mutex mutex_;
};

/// Those of the rows of the batch, of what there is one for each row.
template <class T, class S>
std::span<const T> of_rows(const std::vector<T>& all, const Batch<S>& batch, std::string_view what) {
  const auto first = static_cast<std::size_t>(batch.rows() > 0 ? batch.numbers()[0] : 0);
  if (first + static_cast<std::size_t>(batch.rows()) > all.size())
    throw DataError(fmt::format("{} {} for more rows, expected the same number", all.size(), what));
  return std::span(all).subspan(first, static_cast<std::size_t>(batch.rows()));
}

template <class S>
std::span<const double> weights_of(const Weights& weights, const Batch<S>& batch) {
  return weights.empty() ? std::span<const double>() : of_rows(weights, batch, "weights");
}

template <class S>
void push(OnlineCca<S>& model, const std::vector<Batch<S>>& views, const Names&, const Weights& weights,
          const CancelFlag& cancel) {
  model.partial_fit(views[0], views[1], weights_of(weights, views[0]), cancel);
}
template <class S>
void push(OnlineIca<S>& model, const std::vector<Batch<S>>& views, const Names&, const Weights& weights,
          const CancelFlag& cancel) {
  model.partial_fit(views[0], weights_of(weights, views[0]), cancel);
}
template <class S>
void push(OnlineLda<S>& model, const std::vector<Batch<S>>& views, const Names& labels,
          const Weights& weights, const CancelFlag& cancel) {
  model.partial_fit(views[0], of_rows(labels, views[0], "labels"), weights_of(weights, views[0]), cancel);
}

template <class S>
py::dict dict_of(const CcaResult<S>& result) {
  return cca_dict(result);
}
template <class S>
py::dict dict_of(const IcaResult<S>& result) {
  return ica_dict(result);
}
template <class S>
py::dict dict_of(const LdaResult<S>& result) {
  return lda_dict(result);
}

template <template <class> class Model, class S>
class ModelOf final : public AnyModel {
 public:
  explicit ModelOf(const OnlineOptions& options) : model_(options) {}

  void add(Caller& caller, const std::vector<InputPtr>& views, const Names& labels,
           const Weights& weights) override {
    std::vector<SourcePtr<S>> sources;
    for (const auto& view : views) sources.push_back(open_watched<S>(*view, caller));
    caller.wait_for([&] {
      const std::lock_guard lock(mutex_);
      std::vector<Batch<S>> batches(sources.size());
      for (;;) {
        Index rows = 0;
        for (std::size_t v = 0; v < sources.size(); ++v)
          rows = std::max(rows, sources[v]->read(kRows, batches[v]));
        if (rows == 0) return true;
        caller.cancel().throw_if_requested();
        push(model_, batches, labels, weights, caller.cancel());
      }
    });
  }
  py::dict result(Caller& caller) override {
    return dict_of(caller.wait_for([&] {
      const std::lock_guard lock(mutex_);
      caller.cancel().throw_if_requested();
      return model_.result();
    }));
  }
  void state(State& state) override {
    const std::lock_guard lock(mutex_);
    model_.state(state);
  }

 private:
  Model<S> model_;
};

template <class S>
std::shared_ptr<AnyModel> make_model(const std::string& kind, const OnlineOptions& options) {
  if (kind == "cca") return std::make_shared<ModelOf<OnlineCca, S>>(options);
  if (kind == "ica") return std::make_shared<ModelOf<OnlineIca, S>>(options);
  return std::make_shared<ModelOf<OnlineLda, S>>(options);
}

/// The precision is that of the first rows.
class OnlineModel {
 public:
  OnlineModel(std::string kind, py::dict options, std::string precision)
      : kind_(std::move(kind)), options_(std::move(options)), precision_(std::move(precision)) {}

  void partial_fit(const std::vector<InputPtr>& views, const Names& labels, const Weights& weights) {
    if (!model_) {
      Caller caller;
      make(use_single(precision_, views, caller));
    }
    interruptibly(py::none(), [model = model_, views, labels, weights](Caller& caller) {
      model->add(caller, views, labels, weights);
      return true;
    });
  }

  py::dict result() const {
    if (!model_) throw UsageError("no rows so far");
    return interruptibly(py::none(), [model = model_](Caller& caller) { return model->result(caller); });
  }

  py::tuple pickled() const {
    std::string bytes;
    if (model_)
      bytes = interruptibly(py::none(), [model = model_](Caller& caller) {
        return caller.wait_for([&] {
          StateWriter out;
          model->state(out);
          return out.bytes();
        });
      });
    return py::make_tuple(kind_, options_, precision_, model_ != nullptr, single_, py::bytes(bytes));
  }

  static OnlineModel unpickled(const py::tuple& saved) {
    OnlineModel model(saved[0].cast<std::string>(), saved[1].cast<py::dict>(), saved[2].cast<std::string>());
    if (!saved[3].cast<bool>()) return model;
    model.make(saved[4].cast<bool>());
    const auto bytes = saved[5].cast<std::string>();
    StateReader in(bytes);
    model.model_->state(in);
    return model;
  }

 private:
  void make(bool single) {
    OnlineOptions options = online_options(options_);
    options.saved = true;
    single_ = single;
    model_ = single ? make_model<float>(kind_, options) : make_model<double>(kind_, options);
  }

  std::string kind_;
  py::dict options_;
  std::string precision_;
  bool single_ = false;
  std::shared_ptr<AnyModel> model_;
};

}  // namespace

void bind_online(py::module_& module) {
  module.def(
      "read_weights",
      [](const std::string& path) {
        const RowWeights weights = read_weights(path);
        Weights numbers;
        for (Index row = 0; row < weights.rows(); ++row) numbers.push_back(weights.unit() * weights[row]);
        return numbers;
      },
      py::arg("path"));
  py::class_<OnlineModel>(module, "OnlineModel")
      .def(py::init<std::string, py::dict, std::string>(), py::arg("kind"), py::arg("options"),
           py::arg("precision"))
      .def("partial_fit", &OnlineModel::partial_fit, py::arg("views"), py::arg("labels") = Names{},
           py::arg("weights") = Weights{})
      .def("result", &OnlineModel::result)
      .def(py::pickle([](const OnlineModel& model) { return model.pickled(); },
                      [](const py::tuple& saved) { return OnlineModel::unpickled(saved); }));
}

}  // namespace landfall::python

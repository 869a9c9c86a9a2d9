#include "communicator.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

class PythonCommunicator final : public Communicator {
 public:
  PythonCommunicator(const py::object& comm, Caller& caller) : comm_(comm), caller_(caller) {
    const py::module_ mpi = py::module_::import("mpi4py.MPI");
    in_place_ = mpi.attr("IN_PLACE");
    sum_ = mpi.attr("SUM");
    largest_ = mpi.attr("MAX");
    rank_ = comm.attr("Get_rank")().cast<int>();
    size_ = comm.attr("Get_size")().cast<int>();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void sum(std::span<float> values) override { combine(values, sum_); }
  void sum(std::span<double> values) override { combine(values, sum_); }
  void sum(std::span<std::ptrdiff_t> counts) override { combine(counts, sum_); }
  void largest(std::span<double> values) override { combine(values, largest_); }

  void broadcast(std::span<std::byte> bytes) override {
    if (bytes.empty()) return;
    caller_.call([&] {
      comm_.attr("Bcast")(seen(std::span(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size())), 0);
    });
  }

  std::vector<std::string> gather(const std::string& text) override {
    std::vector<std::string> texts;
    caller_.call([&] {
      const py::object all = comm_.attr("gather")(py::bytes(text), 0);
      if (rank_ == 0) texts = all.cast<std::vector<std::string>>();
    });
    return texts;
  }

 private:
  /// The memory as an array, not a copy.
  template <class T>
  static py::array_t<T> seen(std::span<T> values) {
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data(), py::none());
  }

  template <class T>
  void combine(std::span<T> values, const py::object& operation) {
    if (values.empty()) return;
    caller_.call([&] { comm_.attr("Allreduce")(in_place_, seen(values), operation); });
  }

  py::object comm_, in_place_, sum_, largest_;
  Caller& caller_;
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::shared_ptr<Communicator> communicator_of(const py::object& comm, Caller& caller) {
  for (const char* name : {"Allreduce", "Bcast", "gather", "Get_rank", "Get_size"})
    if (!py::hasattr(comm, name))
      throw py::type_error(
          fmt::format("comm={}, expected a communicator of mpi4py", std::string(py::repr(comm))));
  return std::make_shared<PythonCommunicator>(comm, caller);
}

}  // namespace landfall::python

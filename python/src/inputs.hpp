// Data that Python hands in: something a source can be opened of, in either precision, as often as needed.
//
//   const Input& left = ...;                          // made by the functions of inputs.cpp
//   auto source = open<float>(left, caller);
#pragma once

#include <landfall/data/rows/source.hpp>

#include <memory>
#include <span>

#include "caller.hpp"

namespace landfall::python {

/// Python's object lives as long as this one, which outlives the sources.
class Input {
 public:
  virtual ~Input() = default;
  virtual SourcePtr<float> open_single(Caller& caller) const = 0;
  virtual SourcePtr<double> open_double(Caller& caller) const = 0;
};

using InputPtr = std::shared_ptr<Input>;

template <class S>
SourcePtr<S> open(const Input& input, Caller& caller) {
  if constexpr (std::is_same_v<S, float>)
    return input.open_single(caller);
  else
    return input.open_double(caller);
}

/// The same, and the caller knows how many rows were read.
template <class S>
SourcePtr<S> open_watched(const Input& input, Caller& caller);

/// "auto" is single where all numbers are narrow or sparse, as in the program.
bool use_single(const std::string& precision, std::span<const InputPtr> inputs, Caller& caller);

/// Calls use(S{}) in the precision asked for.
template <class Use>
py::dict in_precision(const std::string& precision, std::span<const InputPtr> inputs, Caller& caller,
                      Use use) {
  return use_single(precision, inputs, caller) ? use(float{}) : use(double{});
}

void bind_inputs(py::module_& module);

}  // namespace landfall::python

// Serialises the state of a computation; one function both saves and restores.
//
//   struct Mean {
//     landfall::Matrix<double> sum;
//     std::uint64_t count = 0;
//     void state(landfall::State& state) { state(sum, count); }
//   } mean, later;
//   landfall::StateWriter out;
//   mean.state(out);
//   landfall::StateReader in(out.bytes());
//   later.state(in);
//
// Bytes are as this machine has them: for going on with a run, not for exchange.
#pragma once

#include <landfall/errors.hpp>
#include <landfall/linalg/types.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace landfall {

class State {
 public:
  virtual ~State() = default;
  /// Whether values are taken back.
  virtual bool loading() const = 0;

  template <class... T>
  void operator()(T&... values) {
    (item(values), ...);
  }

 private:
  virtual void bytes(void* data, std::size_t size) = 0;
  virtual std::size_t count(std::size_t now) = 0;  // what it was, when taken back

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void item(T& value) { bytes(&value, sizeof value); }
  template <class S, int Rows, int Cols, int Options>
  void item(Eigen::Matrix<S, Rows, Cols, Options>& matrix) {
    const std::size_t rows = count(static_cast<std::size_t>(matrix.rows())),
                      cols = count(static_cast<std::size_t>(matrix.cols()));
    matrix.resize(static_cast<Index>(rows), static_cast<Index>(cols));
    bytes(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(S));
  }
  template <class T>
  void item(std::vector<T>& values) {
    values.resize(count(values.size()));
    for (T& value : values) item(value);
  }
  void item(std::string& text) {
    text.resize(count(text.size()));
    bytes(text.data(), text.size());
  }
};

class StateWriter final : public State {
 public:
  bool loading() const override { return false; }
  const std::string& bytes() const { return bytes_; }

 private:
  void bytes(void* data, std::size_t size) override { bytes_.append(static_cast<const char*>(data), size); }
  std::size_t count(std::size_t now) override {
    bytes(&now, sizeof now);
    return now;
  }
  std::string bytes_;
};

/// Throws DataError when the bytes end too early: they are of something else.
class StateReader final : public State {
 public:
  explicit StateReader(std::string_view bytes) : left_(bytes) {}
  bool loading() const override { return true; }

 private:
  void bytes(void* data, std::size_t size) override {
    if (size > left_.size())
      throw DataError("the saved state belongs to another computation: it is too short");
    if (size > 0) std::memcpy(data, left_.data(), size);
    left_.remove_prefix(size);
  }
  std::size_t count(std::size_t) override {
    std::size_t size = 0;
    bytes(&size, sizeof size);
    if (size > left_.size())
      throw DataError("the saved state belongs to another computation: a size is too large");
    return size;
  }
  std::string_view left_;
};

}  // namespace landfall

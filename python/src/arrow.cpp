#include "arrow.hpp"

#include <landfall/data/formats/array_source.hpp>
#include <landfall/data/rows/block_source.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/errors.hpp>

#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace landfall::python {
namespace {

// The layout that the specification fixes.
struct ArrowSchema {
  const char *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowStream {
  int (*get_schema)(ArrowStream*, ArrowSchema*);
  int (*get_next)(ArrowStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowStream*);
  void (*release)(ArrowStream*);
  void* private_data;
};

/// Releases what the producer made.
template <class T>
struct Owned : T {
  Owned() : T{} {}
  ~Owned() {
    if (this->release) this->release(this);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
};

struct Column {
  std::string name;
  NpyType type = NpyType::f8;
  bool bits = false;  // booleans are one bit each
};

Column column_of(const ArrowSchema& schema, const std::string& table) {
  Column column{.name = schema.name ? schema.name : ""};
  const std::string_view format = schema.format;
  constexpr std::string_view kinds = "gflisceILSC";
  constexpr std::array types{NpyType::f8, NpyType::f4, NpyType::i8, NpyType::i4, NpyType::i2, NpyType::i1,
                             NpyType::f2, NpyType::u4, NpyType::u8, NpyType::u2, NpyType::u1};
  const std::size_t at = format.size() == 1 ? kinds.find(format[0]) : std::string_view::npos;
  column.bits = format == "b";
  if ((at == std::string_view::npos && !column.bits) || schema.dictionary)
    throw py::type_error(
        fmt::format("{}: column '{}' has the Arrow type '{}', expected numbers", table, column.name, format));
  if (!column.bits) column.type = types[at];
  return column;
}

bool bit(const void* bytes, std::int64_t i) {
  return (static_cast<const std::uint8_t*>(bytes)[i / 8] >> (i % 8) & 1) != 0;
}

/// The numbers of a column; NaN where the bit of validity is not set.
template <class S>
Vector<S> numbers_of(const Column& column, const ArrowArray& array) {
  Vector<S> out(array.length);
  if (column.bits) {
    for (Index i = 0; i < out.size(); ++i) out(i) = bit(array.buffers[1], array.offset + i) ? S(1) : S(0);
  } else if (array.length > 0) {
    const Index item = with_npy_type(column.type, [](auto value) { return Index{sizeof value}; });
    const auto* first = static_cast<const std::byte*>(array.buffers[1]) + array.offset * item;
    convert_numbers(first, column.type, std::endian::native,
                    std::span(out.data(), static_cast<std::size_t>(out.size())));
  }
  if (array.buffers[0] && array.null_count != 0)
    for (Index i = 0; i < out.size(); ++i)
      if (!bit(array.buffers[0], array.offset + i)) out(i) = std::numeric_limits<S>::quiet_NaN();
  return out;
}

/// A record batch of Arrow, copied.
template <class S>
class BatchSource final : public MemorySource<S> {
 public:
  BatchSource(RowMatrix<S> rows, const std::vector<Column>& columns, const std::string& name)
      : MemorySource<S>(std::move(rows), name), type_(npy_type_name(columns.front().type)) {
    for (const Column& column : columns) {
      names_.push_back(column.name);
      if (npy_type_name(column.type) != type_) type_ = "mixed";
    }
  }
  std::string_view element_type() const override { return type_; }
  const std::vector<std::string>& column_names() const override { return names_; }

 private:
  std::string type_;
  std::vector<std::string> names_;
};

/// A stream that is being read. It is used and dropped on the thread of the caller.
class Stream {
 public:
  Stream(const py::object& table, std::string name) : name_(std::move(name)) {
    capsule_ = table.attr("__arrow_c_stream__")();
    stream_ = static_cast<ArrowStream*>(PyCapsule_GetPointer(capsule_.ptr(), "arrow_array_stream"));
    if (stream_ == nullptr) throw py::error_already_set();
    Owned<ArrowSchema> schema;
    check(stream_->get_schema(stream_, &schema));
    if (std::string_view(schema.format) != "+s")
      throw py::type_error(
          fmt::format("{}: an Arrow stream of '{}', expected a table", name_, schema.format));
    for (std::int64_t j = 0; j < schema.n_children; ++j)
      columns_.push_back(column_of(*schema.children[j], name_));
    if (columns_.empty()) throw DataError(fmt::format("{}: a table without columns", name_));
  }
  ~Stream() {
    if (stream_ && stream_->release) stream_->release(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  template <class S>
  SourcePtr<S> next() {
    for (;;) {
      Owned<ArrowArray> batch;
      check(stream_->get_next(stream_, &batch));
      if (!batch.release) return nullptr;
      if (batch.length == 0) continue;
      RowMatrix<S> rows(batch.length, static_cast<Index>(columns_.size()));
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        ArrowArray column = *batch.children[j];  // a view: the parent releases it
        column.offset += batch.offset;
        column.length = batch.length;
        rows.col(static_cast<Index>(j)) = numbers_of<S>(columns_[j], column);
      }
      return std::make_unique<BatchSource<S>>(std::move(rows), columns_, name_);
    }
  }

 private:
  void check(int error) {
    if (error == 0) return;
    const char* text = stream_->get_last_error ? stream_->get_last_error(stream_) : nullptr;
    throw DataError(fmt::format("{}: the Arrow stream failed: {}", name_, text ? text : "no reason given"));
  }

  std::string name_;
  py::object capsule_;
  ArrowStream* stream_ = nullptr;
  std::vector<Column> columns_;
};

class ArrowInput final : public Input {
 public:
  ArrowInput(py::object table, std::string name) : table_(std::move(table)), name_(std::move(name)) {}
  SourcePtr<float> open_single(Caller& caller) const override { return open<float>(caller); }
  SourcePtr<double> open_double(Caller& caller) const override { return open<double>(caller); }

 private:
  template <class S>
  SourcePtr<S> open(Caller& caller) const {
    return std::make_unique<BlockSource<S>>(name_, [this, &caller] {
      std::shared_ptr<Stream> stream;
      caller.call([&] {
        stream = std::shared_ptr<Stream>(new Stream(table_, name_), [](Stream* owned) {
          const py::gil_scoped_acquire gil;
          delete owned;
        });
      });
      return [stream, &caller] {
        SourcePtr<S> block;
        caller.call([&] { block = stream->next<S>(); });
        return block;
      };
    });
  }

  py::object table_;
  std::string name_;
};

}  // namespace

InputPtr arrow_input(py::object table, const std::string& name) {
  return std::make_shared<ArrowInput>(std::move(table), name);
}

}  // namespace landfall::python

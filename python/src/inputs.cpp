#include "inputs.hpp"

#include <landfall/data/formats/csr_source.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/formats/strided_source.hpp>
#include <landfall/data/rows/block_source.hpp>
#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>

#include "arrow.hpp"
#include "convert.hpp"
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace landfall::python {
namespace {

using Names = std::vector<std::string>;

/// Defines both ways of opening by one template, Derived::open<S>(caller).
template <class Derived>
class OpenedInput : public Input {
 public:
  SourcePtr<float> open_single(Caller& caller) const override { return self().template open<float>(caller); }
  SourcePtr<double> open_double(Caller& caller) const override {
    return self().template open<double>(caller);
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

/// TypeError for numbers that are not real, or wider than 8 bytes.
NpyType type_of(const py::dtype& type, const std::string& name) {
  const std::string code = fmt::format("{}{}", type.kind(), type.itemsize());
  constexpr std::array all{NpyType::f4, NpyType::f8, NpyType::u1, NpyType::i1, NpyType::i2, NpyType::i4,
                           NpyType::i8, NpyType::f2, NpyType::b1, NpyType::u2, NpyType::u4, NpyType::u8};
  const auto at = std::ranges::find(all, code, npy_type_name);
  if (at == all.end())
    throw py::type_error(fmt::format("{}: numbers of type {}, expected real numbers of at most 8 bytes", name,
                                     std::string(py::str(py::handle(type)))));
  return *at;
}

class ArrayInput final : public OpenedInput<ArrayInput> {
 public:
  ArrayInput(py::array array, const std::string& name, Names column_names) : array_(std::move(array)) {
    if (array_.ndim() != 2)
      throw UsageError(fmt::format("{}: an array of {} dimensions, expected 2", name, array_.ndim()));
    const char order = array_.dtype().byteorder();
    layout_ = {.data = static_cast<const std::byte*>(array_.data()),
               .type = type_of(array_.dtype(), name),
               .byte_order = order == '>'   ? std::endian::big
                             : order == '<' ? std::endian::little
                                            : std::endian::native,
               .rows = array_.shape(0),
               .cols = array_.shape(1),
               .row_stride = array_.strides(0),
               .col_stride = array_.strides(1),
               .name = name,
               .column_names = std::move(column_names)};
  }

  template <class S>
  SourcePtr<S> open(Caller&) const {
    return std::make_unique<StridedSource<S>>(layout_);
  }

 private:
  py::array array_;
  StridedArray layout_;
};

class CsrInput final : public OpenedInput<CsrInput> {
 public:
  CsrInput(py::array values, py::array columns, py::array starts, Index rows, Index cols,
           const std::string& name, Names column_names)
      : values_(std::move(values)), columns_(std::move(columns)), starts_(std::move(starts)) {
    const auto integers = [&](const py::array& array, const char* what) {
      const NpyType type = type_of(array.dtype(), name);
      if (type != NpyType::i4 && type != NpyType::i8)
        throw py::type_error(fmt::format("{}: {} of type {}, expected integers of 4 or 8 bytes", name, what,
                                         npy_type_name(type)));
      return type == NpyType::i8;
    };
    for (const py::array* array : {&values_, &columns_, &starts_})
      if (array->ndim() != 1 || (array->flags() & py::array::c_style) == 0)
        throw UsageError(fmt::format("{}: parts of the sparse matrix are not contiguous", name));
    if (starts_.size() != rows + 1 || values_.size() != columns_.size())
      throw UsageError(fmt::format("{}: parts of the sparse matrix have sizes that do not match", name));
    layout_ = {.values = values_.data(),
               .type = type_of(values_.dtype(), name),
               .columns = columns_.data(),
               .starts = starts_.data(),
               .wide_columns = integers(columns_, "column numbers"),
               .wide_starts = integers(starts_, "starts of rows"),
               .rows = rows,
               .cols = cols,
               .entries = columns_.size(),
               .name = name,
               .column_names = std::move(column_names)};
  }

  template <class S>
  SourcePtr<S> open(Caller&) const {
    return std::make_unique<CsrSource<S>>(layout_);
  }

 private:
  py::array values_, columns_, starts_;
  CsrArray layout_;
};

class FileInput final : public OpenedInput<FileInput> {
 public:
  FileInput(std::vector<std::filesystem::path> paths, TableOptions options)
      : paths_(std::move(paths)), options_(std::move(options)) {}

  template <class S>
  SourcePtr<S> open(Caller&) const {
    return paths_.size() == 1 ? open_source<S>(paths_.front(), options_) : open_source<S>(paths_, options_);
  }

 private:
  std::vector<std::filesystem::path> paths_;
  TableOptions options_;
};

/// A Python object that may be dropped on any thread.
std::shared_ptr<py::object> shared(py::object object) {
  return {new py::object(std::move(object)), [](py::object* owned) {
            const py::gil_scoped_acquire gil;
            delete owned;
          }};
}

/// An Input that lives as long as the source made of it.
template <class S>
class HeldSource final : public ForwardedSource<S> {
 public:
  HeldSource(std::shared_ptr<py::object> holder, SourcePtr<S> source)
      : ForwardedSource<S>(std::move(source)), holder_(std::move(holder)) {}

 private:
  std::shared_ptr<py::object> holder_;
};

/// Tells the caller how many rows were read.
template <class S>
class WatchedSource final : public ForwardedSource<S> {
 public:
  WatchedSource(SourcePtr<S> source, Caller& caller)
      : ForwardedSource<S>(std::move(source)), caller_(caller) {}

  Index read(Index count, Batch<S>& batch) override {
    const Index rows = this->source().read(count, batch);
    caller_.note_rows(rows);
    return rows;
  }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override {
    this->source().read_rows(rows, batch);
    caller_.note_rows(static_cast<Index>(rows.size()));
  }

 private:
  Caller& caller_;
};

/// begin() returns an iterator of Inputs; the Python code runs on the thread of the caller.
class BlockInput final : public OpenedInput<BlockInput> {
 public:
  BlockInput(py::object begin, std::string name, std::optional<Index> rows)
      : begin_(shared(std::move(begin))), name_(std::move(name)), rows_(rows) {}

  template <class S>
  SourcePtr<S> open(Caller& caller) const {
    return std::make_unique<BlockSource<S>>(
        name_, [begin = begin_, &caller] { return blocks<S>(begin, caller); }, rows_);
  }

 private:
  template <class S>
  static NextBlock<S> blocks(const std::shared_ptr<py::object>& begin, Caller& caller) {
    std::shared_ptr<py::object> iterator;
    caller.call([&] { iterator = shared(py::iter((*begin)())); });
    return [iterator, &caller]() -> SourcePtr<S> {
      SourcePtr<S> block;
      caller.call([&] {
        PyObject* next = PyIter_Next(iterator->ptr());
        if (next == nullptr) {
          if (PyErr_Occurred()) throw py::error_already_set();
          return;
        }
        auto holder = shared(py::reinterpret_steal<py::object>(next));
        auto source = python::open<S>(*holder->cast<InputPtr>(), caller);
        block = std::make_unique<HeldSource<S>>(std::move(holder), std::move(source));
      });
      return block;
    };
  }

  std::shared_ptr<py::object> begin_;
  std::string name_;
  std::optional<Index> rows_;
};

TableOptions table_options(const py::dict& given) {
  TableOptions options;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (name == "columns")
      options.columns = value.cast<Names>();
    else if (name == "exclude")
      options.exclude = value.cast<Names>();
    else if (name == "label_column")
      options.label = value.cast<std::string>();
    else if (name == "index_column")
      options.index = value.cast<std::string>();
    else if (name == "separator")
      options.separator = value.cast<char>();
    else if (name == "decimal")
      options.decimal = value.cast<char>();
    else if (name == "header")
      options.header = value.cast<bool>() ? CsvHeader::present : CsvHeader::absent;
    else if (name == "na")
      options.missing = value.cast<Names>();
    else if (name == "one_hot")
      options.text = value.cast<bool>() ? TextColumns::one_hot : TextColumns::leave_out;
    else if (name == "categories")
      options.categories = value.cast<Names>();
    else if (name == "format")
      options.format = value.cast<std::string>();
    else if (name == "exact")
      options.exact = value.cast<bool>();
    else
      throw py::type_error(fmt::format("unknown option '{}' of a file", name));
  }
  return options;
}

/// All rows as a dense array.
py::array read_all(const Input& input) {
  Caller caller;
  const SourcePtr<double> source = open_watched<double>(input, caller);
  const auto rows = caller.wait_for([&] {
    std::vector<double> numbers;
    std::vector<double> row(static_cast<std::size_t>(source->cols()));
    for (Batch<double> batch; source->read(1024, batch) > 0;) {
      caller.cancel().throw_if_requested();
      for (Index i = 0; i < batch.rows(); ++i) {
        dense_row<double>(batch, i, row);
        numbers.insert(numbers.end(), row.begin(), row.end());
      }
    }
    return numbers;
  });
  py::array_t<double> array({static_cast<Index>(rows.size()) / source->cols(), source->cols()});
  std::ranges::copy(rows, array.mutable_data());
  return array;
}

py::dict describe(const Input& input) {
  Caller caller;
  const SourcePtr<double> source = input.open_double(caller);
  py::dict dict;
  dict["name"] = source->name();
  dict["format"] = source->format();
  dict["element_type"] = source->element_type();
  dict["rows"] = source->rows();
  dict["cols"] = source->cols();
  dict["sparse"] = source->sparse();
  dict["column_names"] = source->column_names();
  dict["warnings"] = Names(source->warnings().begin(), source->warnings().end());
  return dict;
}

}  // namespace

template <class S>
SourcePtr<S> open_watched(const Input& input, Caller& caller) {
  return std::make_unique<WatchedSource<S>>(open<S>(input, caller), caller);
}

template SourcePtr<float> open_watched<float>(const Input&, Caller&);
template SourcePtr<double> open_watched<double>(const Input&, Caller&);

bool use_single(const std::string& precision, std::span<const InputPtr> inputs, Caller& caller) {
  if (precision == "single" || precision == "double") return precision == "single";
  if (precision != "auto")
    throw UsageError(fmt::format("precision '{}', expected auto, single or double", precision));
  constexpr std::array<std::string_view, 6> narrow{"f4", "f2", "u1", "i1", "u2", "i2"};
  return std::ranges::all_of(inputs, [&](const InputPtr& input) {
    const auto source = input->open_double(caller);
    return source->sparse() || std::ranges::find(narrow, source->element_type()) != narrow.end();
  });
}

void bind_inputs(py::module_& module) {
  py::class_<Input, InputPtr>(module, "Input");
  module.def(
      "array_input",
      [](py::array array, const std::string& name, Names names) -> InputPtr {
        return std::make_shared<ArrayInput>(std::move(array), name, std::move(names));
      },
      py::arg("array"), py::arg("name"), py::arg("column_names") = Names{});
  module.def(
      "csr_input",
      [](py::array values, py::array columns, py::array starts, std::pair<Index, Index> shape,
         const std::string& name, Names names) -> InputPtr {
        return std::make_shared<CsrInput>(std::move(values), std::move(columns), std::move(starts),
                                          shape.first, shape.second, name, std::move(names));
      },
      py::arg("values"), py::arg("columns"), py::arg("starts"), py::arg("shape"), py::arg("name"),
      py::arg("column_names") = Names{});
  module.def(
      "file_input",
      [](std::vector<std::filesystem::path> paths, const py::dict& options) -> InputPtr {
        return std::make_shared<FileInput>(std::move(paths), table_options(options));
      },
      py::arg("paths"), py::arg("options"));
  module.def(
      "block_input",
      [](py::object begin, std::string name, std::optional<Index> rows) -> InputPtr {
        return std::make_shared<BlockInput>(std::move(begin), std::move(name), rows);
      },
      py::arg("begin"), py::arg("name"), py::arg("rows") = py::none());
  module.def("arrow_input", &arrow_input, py::arg("table"), py::arg("name"));
  module.def(
      "read_all", [](const InputPtr& input) { return read_all(*input); }, py::arg("input"));
  module.def(
      "describe", [](const InputPtr& input) { return describe(*input); }, py::arg("input"));
}

}  // namespace landfall::python

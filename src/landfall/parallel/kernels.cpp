#include <landfall/parallel/kernels.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <array>

#include <cblas.h>
#include <fmt/format.h>

namespace landfall {
namespace {

/// The instructions that kernels of this name use. Names that are not listed are older, or of another architecture.
InstructionSet instructions_of(std::string_view kernels) {
  constexpr std::array<std::string_view, 3> avx512{"SkylakeX", "Cooperlake", "SapphireRapids"};
  constexpr std::array<std::string_view, 3> avx2{"Haswell", "Zen", "Excavator"};
  const auto is = [&](std::string_view name) {
    return std::ranges::equal(
        name, kernels, {}, [](char c) { return c | 0x20; }, [](char c) { return c | 0x20; });
  };
  if (std::ranges::any_of(avx512, is)) return InstructionSet::avx512;
  if (std::ranges::any_of(avx2, is)) return InstructionSet::avx2;
  return InstructionSet::baseline;
}

}  // namespace

std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512:
      return "AVX-512";
    case InstructionSet::avx2:
      return "AVX2";
    default:
#if defined(__x86_64__)
      return "SSE2";
#else
      return "any processor";
#endif
  }
}

InstructionSet instruction_set() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const InstructionSet widest = [] {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512cd");
    if (avx2 && avx512) return InstructionSet::avx512;
    return avx2 ? InstructionSet::avx2 : InstructionSet::baseline;
  }();
  return widest;
#else
  return InstructionSet::baseline;
#endif
}

std::string wider_kernels(std::string_view chosen, InstructionSet set) {
  if (instructions_of(chosen) >= set) return "";
  return set == InstructionSet::avx512 ? "SkylakeX" : "Haswell";
}

BlasKernels blas_kernels() {
  const std::string_view config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const std::string chosen = openblas_get_corename();
  const bool selectable = config.find("DYNAMIC_ARCH") != std::string_view::npos;
  const auto name = config.find(' '), version = config.find(' ', name + 1);
  return {.library = std::string(config.substr(0, version)),
          .kernels = chosen,
          .wider = selectable ? wider_kernels(chosen, instruction_set()) : ""};
}

std::string kernel_warning(const BlasKernels& blas) {
  if (blas.wider.empty()) return "";
  return fmt::format(
      "{} uses its kernels for {}, and the processor could run those for {}: set OPENBLAS_CORETYPE={} before "
      "the program "
      "starts",
      blas.library, blas.kernels, blas.wider, blas.wider);
}

std::string describe_computation() {
  const BlasKernels blas = blas_kernels();
  const int count = threads();
  return fmt::format("{} with {} kernels, {} {}; vector loops for {}", blas.library, blas.kernels, count,
                     count == 1 ? "thread" : "threads", to_string(instruction_set()));
}

}  // namespace landfall

// Which kernels OpenBLAS computes with, and whether the processor could run wider ones.
//
//   const landfall::BlasKernels blas = landfall::blas_kernels();
//   if (!blas.wider.empty()) std::cerr << landfall::kernel_warning(blas) << '\n';
//
// OpenBLAS picks its kernels by the model of the processor while it is loaded. For a model that it does not know, or one
// that a virtual machine hides, it takes those of 2004, which need several times as long. OPENBLAS_CORETYPE overrides the
// choice, but only if it is set before the program starts: `landfall` starts itself again with it, and a program of your own
// can do the same with `wider`.
#pragma once

#include <string>
#include <string_view>

namespace landfall {

/// Vector instructions that the library has loops for.
enum class InstructionSet { baseline, avx2, avx512 };

std::string_view to_string(InstructionSet set);

/// The widest of them that the processor and the system support.
InstructionSet instruction_set();

struct BlasKernels {
  std::string library;  // "OpenBLAS 0.3.21"
  std::string kernels;  // as OPENBLAS_CORETYPE names them: "Haswell"
  std::string wider;    // those that the processor could run instead; empty: none
};

BlasKernels blas_kernels();

/// The rule: kernels for a processor with these instructions, where the chosen ones use fewer; else empty.
std::string wider_kernels(std::string_view chosen, InstructionSet set);

/// One sentence; empty where there is nothing to warn of.
std::string kernel_warning(const BlasKernels& blas);

/// Whether BLAS runs in the thread that calls it, because a SerialBlas lives (parallel/threads.hpp).
bool blas_is_serial();

/// "OpenBLAS 0.3.21 with SkylakeX kernels, 2 threads; vector loops for AVX-512".
std::string describe_computation();

}  // namespace landfall

// Loops that are compiled for several instruction sets, of which the widest that the processor has is chosen at run time.
// A loop is a struct with a function over the bytes of a vector, which is inlined into one function per instruction set:
//
//   struct Double {
//     template <int Bytes>
//     LANDFALL_INLINE static void run(float* a, Index n) { for (Index i = 0; i < n; ++i) a[i] *= 2; }
//   };
//   dispatch<Double>(instruction_set(), a, n);
#pragma once

#include <landfall/linalg/types.hpp>
#include <landfall/parallel/kernels.hpp>

#define LANDFALL_INLINE [[gnu::always_inline]] inline
#if defined(__x86_64__) && defined(__GNUC__)
#define LANDFALL_HAS_SIMD 1
#else
#define LANDFALL_HAS_SIMD 0
#endif

namespace landfall {

/// So many bytes of S; at(p): those from p on, which need not be aligned.
template <class S, int Bytes>
struct Lanes {
  typedef S Vector __attribute__((vector_size(Bytes)));
  typedef S Unaligned __attribute__((vector_size(Bytes), aligned(alignof(S)), may_alias));
  static constexpr Index count = Bytes / static_cast<int>(sizeof(S));
  static const Unaligned& at(const S* p) { return *reinterpret_cast<const Unaligned*>(p); }
  static Unaligned& at(S* p) { return *reinterpret_cast<Unaligned*>(p); }
};

#if LANDFALL_HAS_SIMD
template <class Loop, class... T>
[[gnu::target("avx2,fma")]] auto run_avx2(T... arguments) {
  return Loop::template run<32>(arguments...);
}
template <class Loop, class... T>
[[gnu::target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl,avx512cd,prefer-vector-width=512")]] auto
run_avx512(T... arguments) {
  return Loop::template run<64>(arguments...);
}
#endif

/// The processor must have the instructions.
template <class Loop, class... T>
auto dispatch(InstructionSet set, T... arguments) {
#if LANDFALL_HAS_SIMD
  if (set == InstructionSet::avx512) return run_avx512<Loop>(arguments...);
  if (set == InstructionSet::avx2) return run_avx2<Loop>(arguments...);
#endif
  (void)set;
  return Loop::template run<16>(arguments...);
}

}  // namespace landfall

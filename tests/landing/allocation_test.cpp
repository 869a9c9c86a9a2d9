// The loop allocates nothing after the first step: the allocations of the process are counted while it runs. Only
// small ones by OpenBLAS are left out: its AVX-512 kernels for small products allocate a buffer for packing.
// Large ones count: they are the queue of its threads, which narrow products must not wake.
#include <landfall/baselines/cca_ey.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/landing/view_samples.hpp>
#include <landfall/parallel/threads.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "support.hpp"
#include <link.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LANDFALL_OWN_MALLOC 0  // the sanitizers have their own
#else
#define LANDFALL_OWN_MALLOC 1
#endif

namespace {

std::atomic<std::uint64_t> allocations{0};

#if LANDFALL_OWN_MALLOC
constexpr std::size_t kThreadQueue = std::size_t{1} << 18;  // bytes; OpenBLAS 0.3.21 takes twice that

/// Where the code of OpenBLAS is.
struct Range {
  std::uintptr_t first = 0, last = 0;
};

Range find_blas() {
  Range blas;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        if (std::string_view(library->dlpi_name).find("openblas") == std::string_view::npos) return 0;
        for (int i = 0; i < library->dlpi_phnum; ++i) {
          const auto& segment = library->dlpi_phdr[i];
          const std::uintptr_t first = library->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
            *static_cast<Range*>(found) = {first, first + segment.p_memsz};
        }
        return 0;
      },
      &blas);
  return blas;
}

Range blas;  // empty until a test begins

void count(std::size_t size, const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  const bool by_blas = at >= blas.first && at < blas.last;
  if (!by_blas || size >= kThreadQueue) ++allocations;
}
#endif

}  // namespace

#if LANDFALL_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  count(size, __builtin_return_address(0));
  return __libc_malloc(size);
}
void* calloc(std::size_t items, std::size_t size) {
  count(items * size, __builtin_return_address(0));
  return __libc_calloc(items, size);
}
void* realloc(void* memory, std::size_t size) {
  count(size, __builtin_return_address(0));
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count(size, __builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  count(size, __builtin_return_address(0));
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}
}
#endif

namespace landfall::test {

template <class S>
class AllocationTest : public ::testing::Test {
 protected:
  void SetUp() override {
#if LANDFALL_OWN_MALLOC
    blas = find_blas();
#else
    GTEST_SKIP() << "the sanitizer's allocator is in place";
#endif
  }
  static SolverOptions<S> counted(StepOptions step, StopWhen stop) {
    return {.step = step, .stop = std::move(stop), .allocation_count = [] { return allocations.load(); }};
  }
};
TYPED_TEST_SUITE(AllocationTest, Scalars);

TYPED_TEST(AllocationTest, TheCounterCounts) {
  const auto before = allocations.load();
  const Matrix<TypeParam> m(10, 10);
  EXPECT_GT(allocations.load(), before) << m.size();
}

TYPED_TEST(AllocationTest, ThreadsOfBlasCount) {
  using S = TypeParam;
  const Matrix<S> a = Matrix<S>::Ones(400, 400);
  Matrix<S> b(400, 400);
  const int given = threads();
  set_threads(2);
  multiply<S>(a, a, b);
  const auto before = allocations.load();
  multiply<S>(a, a, b);
  const auto after = allocations.load();
  set_threads(given);
  EXPECT_GT(after, before);
}

TYPED_TEST(AllocationTest, ExactStepsAllocateNothing) {
  using S = TypeParam;
  const Index n = 1000, p = 10;
  const Matrix<S> samples = gaussian<S>(200, n, {1, 0});
  const auto a = std::make_shared<DenseOperator<S>>(Matrix<S>(random_symmetric<S>(n, 1)));
  Matrix<S> dense = Matrix<S>::Identity(n, n) / 2 + samples.transpose() * samples / S(400);
  const auto b = std::make_shared<DenseOperator<S>>(dense);
  const auto sketch = sketch_preconditioner<S>(*b, {.rank = 20});
  const auto inverse = inverse_preconditioner<S>(dense);
  for (const Direction direction :
       {Direction::metric, Direction::riemannian, Direction::euclidean, Direction::preconditioned})
    for (const StepRule rule :
         {StepRule::fixed, StepRule::safeguarded, StepRule::barzilai_borwein, StepRule::line_search}) {
      StiefelBlock<S> block{b, p, {.direction = direction, .normal = Normal::newton}};
      if (direction == Direction::preconditioned) block.field.preconditioner = sketch;
      if (direction == Direction::riemannian) block.field.preconditioner = inverse;
      QuadraticOracle<S> oracle(a, -1, block);
      const auto result = solve<S>(oracle, {gaussian<S>(n, p, {2, 0})},
                                   this->counted({.rule = rule, .size = 1e-3}, stop::iterations(8)));
      EXPECT_EQ(result.counts.allocations, 0u)
          << to_string(direction) << " rule " << static_cast<int>(rule) << ": "
          << to_string(result.termination) << " " << result.restoration.to;
    }
}

TYPED_TEST(AllocationTest, SampledStepsAllocateNothing) {
  using S = TypeParam;
  const Index n = 50, p = 5;
  const RowMatrix<S> left = gaussian<S>(1000, n, {3, 0}), right = gaussian<S>(1000, n, {4, 0});
  for (const Estimator estimator :
       {Estimator::shared, Estimator::split, Estimator::ustat, Estimator::svrg, Estimator::averaged}) {
    auto samples = std::make_shared<LinearSamples<S>>(
        std::vector{left, right}, std::vector{p, p}, std::vector{S(0.1), S(0.1)}, correlation_objective<S>());
    const FieldOptions<S> field{.normal = Normal::newton};
    SampledOracle<S> oracle(samples, {.estimator = estimator, .batch = 64}, {field, field});
    const auto result = solve<S>(oracle, {gaussian<S>(n, p, {5, 0}), gaussian<S>(n, p, {5, 1})},
                                 this->counted({.rule = StepRule::fixed, .size = 1e-2}, stop::passes(3)));
    EXPECT_EQ(result.counts.allocations, 0u)
        << to_string(estimator);  // with short last batches among the steps
  }
}

TYPED_TEST(AllocationTest, StepsOfCcaEyAllocateNothing) {
  using S = TypeParam;
  std::vector<SourcePtr<S>> views;
  for (std::uint64_t i = 0; i < 2; ++i)
    views.push_back(std::make_unique<MemorySource<S>>(gaussian<S>(1000, 50, {6, i})));
  DataStream<S> stream(std::move(views), {});
  const auto batches = read_into_memory(stream, 1000, 64);  // the last one is short
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam})
    for (const bool halves : {true, false}) {
      CcaEy<S> method(
          {.components = 5, .ridge = 0.1},
          {.optimizer = optimizer, .momentum = optimizer == Optimizer::sgd ? 0.9 : 0, .halves = halves});
      method.step(batches[0][0], batches[0][1], 1e-3);
      const auto before = allocations.load();
      for (const auto& batch : batches) method.step(batch[0], batch[1], 1e-3);
      EXPECT_EQ(allocations.load(), before) << halves;
    }
}

}  // namespace landfall::test

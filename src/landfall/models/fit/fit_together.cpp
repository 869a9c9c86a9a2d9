#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/data/rows/shared_reading.hpp>
#include <landfall/models/fit/fit_together.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

namespace landfall {

int fits_in_memory(int fits, const Plan& plan, std::uint64_t memory) {
  const std::uint64_t bytes = (plan.exact_is_chosen ? plan.exact : plan.landing).bytes;
  return static_cast<int>(std::clamp<std::uint64_t>(memory / std::max<std::uint64_t>(bytes, 1), 1,
                                                    static_cast<std::uint64_t>(fits)));
}

template <class S>
void fit_together(const std::vector<Source<S>*>& views, int fits, int at_once,
                  const std::function<void(int, std::vector<SourcePtr<S>>)>& fit) {
  for (int first = 0; first < fits; first += at_once) {
    const int count = std::min(at_once, fits - first);
    for (Source<S>* view : views) view->rewind();
    if (count == 1) {
      std::vector<SourcePtr<S>> sources;
      for (Source<S>* view : views) sources.push_back(std::make_unique<BorrowedSource<S>>(*view));
      fit(first, std::move(sources));
      continue;
    }
    SharedReading<S> reading(views, count);
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
    {
      std::vector<std::jthread> threads_of_fits;
      for (int k = 0; k < count; ++k)
        threads_of_fits.emplace_back([&, k, sources = reading.readers()]() mutable {
          ThreadPool pool(std::max(1, threads() / count));
          const ThreadPool::Use use(pool);
          try {
            fit(first + k, std::move(sources));
          } catch (...) {
            errors[static_cast<std::size_t>(k)] = std::current_exception();
          }
          sources.clear();
        });
    }
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }
}

template void fit_together<float>(const std::vector<Source<float>*>&, int, int,
                                  const std::function<void(int, std::vector<SourcePtr<float>>)>&);
template void fit_together<double>(const std::vector<Source<double>*>&, int, int,
                                   const std::function<void(int, std::vector<SourcePtr<double>>)>&);

}  // namespace landfall

#include <landfall/landing/agreement.hpp>
#include <landfall/landing/estimators/sample_reader.hpp>
#include <landfall/landing/history.hpp>
#include <landfall/landing/subspace/solve_subspace.hpp>
#include <landfall/parallel/threads.hpp>

#include <chrono>

namespace landfall {
namespace {

using Clock = std::chrono::steady_clock;

template <class S>
class PassLoop {
 public:
  PassLoop(SubspaceLanding<S>& landing, std::shared_ptr<ViewSamples<S>> all, const PassOptions& options)
      : landing_(landing), all_(all), options_(options), reader_(all, 1), history_(options.history) {
    views_.resize(all_->shapes().size());
  }

  /// The next batch; at the end of a pass, what follows from it.
  void step() {
    while (reader_.draw() == 0) end_pass();
    for (std::size_t k = 0; k < views_.size(); ++k) views_[k] = &all_->view(k);
    landing_.step(views_);
    pass_open_ = true;
    const double passes = reader_.passes();
    if (passes >= static_cast<double>(pass_ + 1)) end_pass();
    progress_ = landing_.progress();
    progress_.passes = passes;
    progress_.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    history_.add(progress_);
  }

  std::optional<Termination> finished() const {
    if (landing_.diverged()) return Termination::diverged;
    if (options_.passes)
      return progress_.passes >= *options_.passes ? std::optional(Termination::pass_limit) : std::nullopt;
    if (pass_open_) return std::nullopt;
    if (pass_ > 0 && converged()) return Termination::converged;
    if (progress_.passes >= options_.most_passes) return Termination::pass_limit;
    return std::nullopt;
  }

  bool converged() const {
    return landing_.gap_is_reliable() && landing_.estimated_gap() <= options_.tolerance;
  }

  /// Time that does not count.
  void pause(Clock::duration time) { began_ += time; }

  void state(State& state, bool times = true) {
    landing_.state(state);
    reader_.state(state);
    save_progress(state, times, progress_, history_);
    state(pass_, pass_open_);
    if (state.loading())
      began_ = Clock::now() -
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(progress_.seconds));
  }

  const Progress& progress() const { return progress_; }
  const ProgressHistory& history() const { return history_; }

 private:
  void end_pass() {
    if (pass_open_) {
      landing_.end_pass(!options_.passes || *options_.passes - static_cast<double>(pass_) >= 2);
      ++pass_;
    }
    pass_open_ = false;
    reader_.next_pass();
  }

  SubspaceLanding<S>& landing_;
  std::shared_ptr<ViewSamples<S>> all_;
  PassOptions options_;
  SampleReader<S> reader_;
  ProgressHistory history_;
  std::vector<const CentredBatch<S>*> views_;
  Progress progress_;
  std::uint64_t pass_ = 0;
  bool pass_open_ = false;
  Clock::time_point began_ = Clock::now();
};

}  // namespace

template <class S>
SubspaceResult<S> solve_subspace(std::shared_ptr<InMemorySamples<S>> first,
                                 std::shared_ptr<ViewSamples<S>> all, const SubspaceOptions& landing_options,
                                 const PassOptions& passes, const std::vector<Vector<S>>& variance,
                                 const std::function<bool(const Progress&, const Point<S>&)>& observer,
                                 const Checkpoints& checkpoints, const CancelFlag& cancel) {
  const SerialBlas serial;  // the same result with any number of threads
  SubspaceLanding<S> landing(std::move(first), landing_options, variance, cancel);
  Communicator& communicator = all->communicator();
  PassLoop<S> loop(landing, std::move(all), passes);
  const auto state = [&](bool times) {
    StateWriter out;
    loop.state(out, times);
    return out.bytes();
  };
  if (!checkpoints.resume.empty()) {
    StateReader in(checkpoints.resume);
    loop.state(in);
  }
  SubspaceRun<S> run;
  for (;;) {
    if (const auto reason = loop.finished()) {
      run.termination = *reason;
      break;
    }
    cancel.throw_if_requested();
    loop.step();
    const auto before = Clock::now();
    const bool due = checkpoints.due && checkpoints.due();
    const bool stop = observer && !observer(loop.progress(), landing.x());
    const StepWishes agreed = agree(communicator, {.save = due, .stop = stop}, loop.progress());
    if (agreed.save) checkpoints.save(state(true));
    loop.pause(Clock::now() - before);
    if (agreed.stop && !loop.finished()) {
      run.termination = Termination::stopped;
      break;
    }
  }
  if (checkpoints.finish) checkpoints.finish(state(false));  // of equal runs the same
  run.x = landing.x();
  run.bx = landing.bx();
  run.gradient = landing.ascent();
  for (auto& block : run.gradient) block *= S(-1);
  run.estimated_gap = landing.estimated_gap();
  run.converged = loop.converged();
  run.progress = loop.progress();
  run.history = loop.history().records();
  return {std::move(run), landing.choice()};
}

LANDFALL_SOLVE_SUBSPACE(, float)
LANDFALL_SOLVE_SUBSPACE(, double)

}  // namespace landfall

#include <landfall/landing/oracle.hpp>

namespace landfall {

std::string_view to_string(Termination termination) {
  switch (termination) {
    case Termination::running:
      return "running";
    case Termination::converged:
      return "converged";
    case Termination::iteration_limit:
      return "iteration_limit";
    case Termination::pass_limit:
      return "pass_limit";
    case Termination::time_limit:
      return "time_limit";
    case Termination::no_progress:
      return "no_progress";
    case Termination::stopped:
      return "stopped";
    case Termination::diverged:
      return "diverged";
    case Termination::infeasible_start:
      return "infeasible_start";
  }
  return "unknown";
}

double Pull::weight(double beta) const {
  if (omega) return *omega;
  return beta > 0 ? attraction / (step * beta) : 0;
}

}  // namespace landfall

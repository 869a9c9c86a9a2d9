// Everything. Include the parts you use instead where compile time matters.
//
//   #include <landfall/landfall.hpp>
//   auto result = landfall::solve_gevp<double>(a, b, {.components = 5});
#pragma once

#include <landfall/baselines/cca_ey.hpp>
#include <landfall/baselines/lobpcg.hpp>
#include <landfall/baselines/registry.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/constrained.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/manifold/check.hpp>
#include <landfall/manifold/constants.hpp>
#include <landfall/manifold/constraints.hpp>
#include <landfall/manifold/fletcher.hpp>
#include <landfall/manifold/retraction.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/curve.hpp>
#include <landfall/models/cca/grid.hpp>
#include <landfall/models/cca/online_cca.hpp>
#include <landfall/models/gevp/gevp.hpp>
#include <landfall/models/gevp/gevp_plan.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/ica/online_ica.hpp>
#include <landfall/models/ica/component_choice.hpp>
#include <landfall/models/ica/stability.hpp>
#include <landfall/models/lda/lda.hpp>
#include <landfall/models/lda/online_lda.hpp>
#include <landfall/models/lda/shrinkage.hpp>
#include <landfall/version.hpp>

// Everything. Include the parts you use instead where compile time matters.
//
//   #include <landfall/landfall.hpp>
//   auto result = landfall::solve_gevp<double>(a, b, {.components = 5});
#pragma once

#include <landfall/data/open_source.hpp>
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
#include <landfall/models/cca.hpp>
#include <landfall/models/cca_plan.hpp>
#include <landfall/models/gevp.hpp>
#include <landfall/models/gevp_plan.hpp>
#include <landfall/models/ica.hpp>
#include <landfall/models/ica_plan.hpp>
#include <landfall/models/lda.hpp>
#include <landfall/models/lda_plan.hpp>
#include <landfall/models/online_cca.hpp>
#include <landfall/models/online_ica.hpp>
#include <landfall/models/online_lda.hpp>
#include <landfall/rivals/cca_ey.hpp>
#include <landfall/rivals/lobpcg.hpp>
#include <landfall/rivals/registry.hpp>
#include <landfall/version.hpp>

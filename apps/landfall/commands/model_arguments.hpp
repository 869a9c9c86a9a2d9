// The options of the command of a model, in the order of its help page.
//
//   add_model_options({command}, model);
//   take_ridges(*command, model);          // landfall cv: a list of ridges in place of what belongs to one fit
#pragma once

#include "terminal/arguments.hpp"

namespace landfall::app {

class ModelCommand;

void add_model_options(const OptionAdder& add, ModelCommand& model);
void take_ridges(CLI::App& command, ModelCommand& model);

}  // namespace landfall::app

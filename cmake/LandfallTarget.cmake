# What every target of ours shares: the language, the warnings. Applied to our code only, never to what we include.
function(landfall_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
    -Wdouble-promotion -Wextra-semi $<$<BOOL:${LANDFALL_WERROR}>:-Werror>)
endfunction()

// Traces written as JSON: for tests and for `doctor`-like checks of the timing model without a kernel.
#pragma once
#include "../abi/trace.h"
#include "../sim/json.h"

namespace ascendopt::run {

// {"cores":[0,0,1..],"programs":[[item..]..],"cubes":0,"vectors":1}, where the last two say how many cores of each kind
// an AI Core has: they lie side by side in `cores`, the cube core first. An item is a record
//   {"do":"instr","pipe":"V","op":"Add","dtype":"float16","repeats":32,"flags":["bank_read_read"]}
//   {"do":"transfer","pipe":"MTE2","rows":1,"bytes":8192,"gm":0,"pitch":0,"flags":[..],"same_for_all":true}
//   {"do":"set"|"wait","from":"MTE2","to":"V","event":0}, {"do":"barrier","pipe":"V"}, {"do":"barrier_all"},
//   {"do":"sync_all"}, {"do":"scalar"}, {"do":"cross_set","pipe":"FIX","mode":2,"flag":0,"cores":0,"signal":0},
//   {"do":"cross_wait","flag":0}, with mode 3 and "signal" for one that goes through global memory
//   {"do":"instr","pipe":"M","op":"Mmad","dtype":"float16","repeats":64,"elements":256} (CubeOp on M, MTE1 and FIX)
// with optional "calls", "ub_reads", "ub_writes", "gm_reads", "gm_writes" (scalar work before it), or a loop
//   {"loop":N,"body":[item..],"gm_step":bytes}  (iteration i adds i * gm_step to the addresses of its own records).
// Throws json::Error with one sentence.
LaunchTrace read_trace(const json::Value& from);

}  // namespace ascendopt::run

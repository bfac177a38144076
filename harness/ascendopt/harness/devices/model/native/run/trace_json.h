// Traces written as JSON: for tests and for `doctor`-like checks of the timing model without a kernel.
#pragma once
#include "../abi/trace.h"
#include "../sim/json.h"

namespace ascendopt::run {

// {"cores":[0,0,1..],"programs":[[item..]..]}. An item is a record
//   {"do":"instr","pipe":"V","op":"Add","dtype":"float16","repeats":32,"flags":["bank_read_read"]}
//   {"do":"transfer","pipe":"MTE2","rows":1,"bytes":8192,"gm":0,"pitch":0,"flags":[..],"same_for_all":true}
//   {"do":"set"|"wait","from":"MTE2","to":"V","event":0}, {"do":"barrier","pipe":"V"}, {"do":"barrier_all"},
//   {"do":"sync_all"}, {"do":"scalar"}
// with optional "calls", "ub_reads", "ub_writes", "gm_reads", "gm_writes" (scalar work before it), or a loop
//   {"loop":N,"body":[item..],"gm_step":bytes}  (iteration i adds i * gm_step to the addresses of its own records).
// Throws json::Error with one sentence.
LaunchTrace read_trace(const json::Value& from);

}  // namespace ascendopt::run

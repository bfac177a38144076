// Reads cores as lists of transfers, merges their traces, prints which core has which and what each trace holds.
// In: cores, then for each its number of transfers and their `load address fresh`. Out: a line of trace numbers, then a
// line `address:fresh:event` for each trace.
#include <cstdio>

#include "rt/trace_merge.h"

using namespace ascendopt;

int main() {
    unsigned cores = 0;
    if (std::scanf("%u", &cores) != 1) return 2;
    LaunchTrace trace;
    trace.core_to_trace.assign(cores, 0);
    for (unsigned core = 0; core < cores; ++core) {
        unsigned count = 0;
        if (std::scanf("%u", &count) != 1) return 2;
        std::vector<TraceRecord> records(count);
        for (TraceRecord& record : records) {
            unsigned load = 0, fresh = 0;
            unsigned long long address = 0;
            if (std::scanf("%u %llu %u", &load, &address, &fresh) != 3) return 2;
            record.kind = TraceKind::Transfer;
            record.pipe = load ? Pipe::MTE2 : Pipe::MTE3;
            record.flags = load ? 0 : kGmWrite;
            record.repeats = 1;
            record.elements = 256;
            record.gm_address = address;
            record.fresh = static_cast<uint16_t>(fresh);
        }
        rt::add_trace(trace, core, records);
    }
    rt::join_traces(trace);
    for (uint32_t index : trace.core_to_trace) std::printf("%u ", index);
    std::printf("\n");
    for (const CoreTrace& each : trace.unique) {
        for (const TraceRecord& r : each.records)
            std::printf("%llu:%u:%u ", static_cast<unsigned long long>(r.gm_address), r.fresh, r.event);
        std::printf("\n");
    }
}

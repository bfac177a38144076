// acl for a program with one device, whose streams are in order and done at once.
#include "../include/program/acl/acl.h"

#include <string>

#include "session.h"

using ascendopt::program::DeviceBuffer;
using ascendopt::program::Session;

namespace {

// What streams, events and contexts point to: programs only hand them back.
int token = 0;

Session& here() { return *ascendopt::program::session; }

[[noreturn]] void fail(const char* api, const std::string& what, void* caller) {
    here().fail("acl_memory", std::string(api) + " " + what, api, caller);
}

// The address must be device memory with room for `bytes`.
void check_device(const char* api, const char* verb, const void* address, size_t bytes, void* caller) {
    const DeviceBuffer* buffer = here().buffer_at(address);
    if (!buffer) fail(api, std::string(verb) + " an address that is no device memory", caller);
    const uint64_t left = buffer->bytes - static_cast<uint64_t>(static_cast<const uint8_t*>(address) - buffer->data);
    if (bytes <= left) return;
    fail(api,
         std::string(verb) + " " + std::to_string(bytes) + " bytes of a device buffer that has " +
             std::to_string(left) + " from there on",
         caller);
}

void check_host(const char* api, const char* verb, const void* address, void* caller) {
    if (!address) fail(api, std::string(verb) + " a null pointer", caller);
    if (here().buffer_at(address)) fail(api, std::string(verb) + " device memory as if it were the host's", caller);
}

aclError copy(const char* api, void* to, size_t capacity, const void* from, size_t bytes, aclrtMemcpyKind kind,
              void* caller) {
    if (bytes == 0) return ACL_SUCCESS;
    if (bytes > capacity) return ACL_ERROR_RT_PARAM_INVALID;
    const bool any = kind == ACL_MEMCPY_DEFAULT;
    const bool to_device = any ? here().buffer_at(to) != nullptr
                               : kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    const bool from_device = any ? here().buffer_at(from) != nullptr
                                 : kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    to_device ? check_device(api, "writes", to, bytes, caller) : check_host(api, "writes", to, caller);
    from_device ? check_device(api, "reads", from, bytes, caller) : check_host(api, "reads", from, caller);
    Session::Open open(here());
    std::memmove(to, from, bytes);
    return ACL_SUCCESS;
}

aclError fill(const char* api, void* to, size_t capacity, int32_t value, size_t bytes, void* caller) {
    if (bytes > capacity) return ACL_ERROR_RT_PARAM_INVALID;
    if (bytes == 0) return ACL_SUCCESS;
    if (here().buffer_at(to))
        check_device(api, "writes", to, bytes, caller);
    else
        check_host(api, "writes", to, caller);
    Session::Open open(here());
    std::memset(to, value, bytes);
    return ACL_SUCCESS;
}

aclError give(void** to) {
    if (!to) return ACL_ERROR_INVALID_PARAM;
    *to = &token;
    return ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclError aclInit(const char*) { return ACL_SUCCESS; }
aclError aclFinalize() { return ACL_SUCCESS; }

aclError aclrtSetDevice(int32_t device) { return device == 0 ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM; }
aclError aclrtResetDevice(int32_t device) { return device == 0 ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM; }
aclError aclrtGetDevice(int32_t* device) {
    *device = 0;
    return ACL_SUCCESS;
}
aclError aclrtGetDeviceCount(uint32_t* count) {
    *count = 1;
    return ACL_SUCCESS;
}
aclError aclrtSynchronizeDevice() { return ACL_SUCCESS; }
const char* aclrtGetSocName() { return here().chip().name.c_str(); }

aclError aclrtCreateContext(aclrtContext* context, int32_t) { return give(context); }
aclError aclrtDestroyContext(aclrtContext) { return ACL_SUCCESS; }
aclError aclrtSetCurrentContext(aclrtContext) { return ACL_SUCCESS; }

aclError aclrtCreateStream(aclrtStream* stream) { return give(stream); }
aclError aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }
aclError aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream, int32_t) { return ACL_SUCCESS; }
aclError aclrtStreamWaitEvent(aclrtStream, aclrtEvent) { return ACL_SUCCESS; }

aclError aclrtCreateEvent(aclrtEvent* event) { return give(event); }
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) { return give(event); }
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) { return give(event); }
aclError aclrtDestroyEvent(aclrtEvent) { return ACL_SUCCESS; }
aclError aclrtRecordEvent(aclrtEvent, aclrtStream) { return ACL_SUCCESS; }
aclError aclrtSynchronizeEvent(aclrtEvent) { return ACL_SUCCESS; }

aclError aclrtMalloc(void** device, size_t bytes, aclrtMemMallocPolicy) {
    if (!device || bytes == 0) return ACL_ERROR_INVALID_PARAM;
    *device = here().allocate(bytes);
    return *device ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

aclError aclrtFree(void* device) {
    if (!device) return ACL_ERROR_INVALID_PARAM;
    if (!here().release(static_cast<uint8_t*>(device)))
        fail("aclrtFree", "gets an address that aclrtMalloc did not give, or gets it twice",
             __builtin_return_address(0));
    return ACL_SUCCESS;
}

aclError aclrtMallocHost(void** host, size_t bytes) {
    if (!host || bytes == 0) return ACL_ERROR_INVALID_PARAM;
    *host = std::malloc(bytes);
    return *host ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

aclError aclrtFreeHost(void* host) {
    if (here().buffer_at(host)) fail("aclrtFreeHost", "gets device memory", __builtin_return_address(0));
    std::free(host);
    return ACL_SUCCESS;
}

aclError aclrtMemcpy(void* to, size_t capacity, const void* from, size_t bytes, aclrtMemcpyKind kind) {
    return copy("aclrtMemcpy", to, capacity, from, bytes, kind, __builtin_return_address(0));
}

aclError aclrtMemcpyAsync(void* to, size_t capacity, const void* from, size_t bytes, aclrtMemcpyKind kind,
                          aclrtStream) {
    return copy("aclrtMemcpyAsync", to, capacity, from, bytes, kind, __builtin_return_address(0));
}

aclError aclrtMemset(void* device, size_t capacity, int32_t value, size_t bytes) {
    return fill("aclrtMemset", device, capacity, value, bytes, __builtin_return_address(0));
}

aclError aclrtMemsetAsync(void* device, size_t capacity, int32_t value, size_t bytes, aclrtStream) {
    return fill("aclrtMemsetAsync", device, capacity, value, bytes, __builtin_return_address(0));
}

float aclFloat16ToFloat(aclFloat16 value) {
    _Float16 half;
    std::memcpy(&half, &value, sizeof half);
    return static_cast<float>(half);
}

aclFloat16 aclFloatToFloat16(float value) {
    const auto half = static_cast<_Float16>(value);
    aclFloat16 bits;
    std::memcpy(&bits, &half, sizeof bits);
    return bits;
}

const char* aclGetRecentErrMsg() { return ""; }
aclError aclrtGetLastError(aclrtLastErrLevel) { return ACL_SUCCESS; }
}

// Bounds-checked copies. Like the library of that name: 0 when fine, a non-zero code and no write otherwise.
#pragma once
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

using errno_t = int;
#ifndef EOK
#define EOK 0
#endif

inline errno_t memcpy_s(void* to, size_t room, const void* from, size_t count) {
    if (to == nullptr || from == nullptr || count > room) return 34;
    std::memcpy(to, from, count);
    return EOK;
}

inline errno_t memset_s(void* to, size_t room, int value, size_t count) {
    if (to == nullptr || count > room) return 34;
    std::memset(to, value, count);
    return EOK;
}

inline errno_t strcpy_s(char* to, size_t room, const char* from) {
    return from == nullptr ? 22 : memcpy_s(to, room, from, std::strlen(from) + 1);
}

inline errno_t strcat_s(char* to, size_t room, const char* from) {
    if (to == nullptr || from == nullptr) return 22;
    const size_t used = std::strlen(to);
    return used >= room ? 34 : memcpy_s(to + used, room - used, from, std::strlen(from) + 1);
}

__attribute__((format(printf, 4, 5))) inline int snprintf_s(char* to, size_t room, size_t count, const char* format,
                                                            ...) {
    va_list arguments;
    va_start(arguments, format);
    const int written = std::vsnprintf(to, count + 1 < room ? count + 1 : room, format, arguments);
    va_end(arguments);
    return written >= 0 && static_cast<size_t>(written) < room ? written : -1;
}

__attribute__((format(printf, 3, 4))) inline int sprintf_s(char* to, size_t room, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int written = std::vsnprintf(to, room, format, arguments);
    va_end(arguments);
    return written >= 0 && static_cast<size_t>(written) < room ? written : -1;
}

#include "mpiio/file/device_memory.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace kumihimo::mpiio {

namespace {

// CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) of the CUDA driver.
using CudaAttribute = int (*)(void*, int, std::uintptr_t);
constexpr int cuda_memory_type = 2, cuda_device = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_MEMORYTYPE_DEVICE

// hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer) of ROCm.
constexpr int hip_memory_type = 2, hip_device = 2;  // HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, hipMemoryTypeDevice

bool says_device(CudaAttribute query, int attribute, int device, const void* pointer) {
    unsigned type = 0;
    return query != nullptr && query(&type, attribute, reinterpret_cast<std::uintptr_t>(pointer)) == 0 &&
           type == static_cast<unsigned>(device);
}

CudaAttribute find(const char* name) {
    return reinterpret_cast<CudaAttribute>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

bool is_device_memory(const void* pointer) {
    static const CudaAttribute cuda = find("cuPointerGetAttribute"), hip = find("hipPointerGetAttribute");
    return says_device(cuda, cuda_memory_type, cuda_device, pointer) || says_device(hip, hip_memory_type, hip_device, pointer);
}

}  // namespace kumihimo::mpiio

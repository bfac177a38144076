// Platform queries. The answers come from the chip facts of the request, never from here.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "types.h"

namespace ascendopt::host {
struct ChipFacts;
}

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

class PlatFormInfos {
  public:
    PlatFormInfos() = default;
    explicit PlatFormInfos(const ascendopt::host::ChipFacts* chip) : chip_(chip) {}
    const ascendopt::host::ChipFacts* chip() const { return chip_; }

    bool GetPlatformRes(const std::string& label, const std::string& key, std::string& value);
    bool GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& value) {
        return GetPlatformRes(label, key, value);
    }
    void GetLocalMemSize(const LocalMemType& type, uint64_t& bytes);
    void GetLocalMemBw(const LocalMemType& type, uint64_t& bytes_per_cycle);
    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumByType(const std::string& core_type) const;
    uint32_t GetCoreNumWithLock() const { return GetCoreNum(); }
    std::string GetCoreType() const { return "AICore"; }
    void SetCoreNumByCoreType(const std::string&) {}

  private:
    const ascendopt::host::ChipFacts* chip_ = nullptr;
};

using PlatformInfos = PlatFormInfos;

}  // namespace fe

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND910_95,
    ASCEND950 = ASCEND910_95,
    ASCEND910_55,
    RESERVED_VERSION = 99999
};

class PlatformAscendC {
  public:
    PlatformAscendC() = delete;
    explicit PlatformAscendC(fe::PlatFormInfos* infos) : infos_(infos) {}
    uint32_t GetCoreNum() const;        // vector cores on chips that split, else all cores
    uint32_t GetCoreNumAic() const;     // cube cores on chips that split, else all cores
    uint32_t GetCoreNumAiv() const;     // as GetCoreNum
    uint32_t GetCoreNumVector() const;  // stand-alone vector cores of chips that do not split
    void GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const;
    void GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const;
    SocVersion GetSocVersion() const;
    uint32_t GetLibApiWorkSpaceSize() const;
    uint32_t GetResCubeGroupWorkSpaceSize() const { return GetLibApiWorkSpaceSize(); }
    uint32_t GetResGroupBarrierWorkSpaceSize() const { return GetLibApiWorkSpaceSize(); }
    uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const;
    uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const {
        return CalcTschBlockDim(slices, aic_cores, aiv_cores);
    }
    fe::PlatFormInfos* GetPlatFormInfo() const { return infos_; }

  private:
    fe::PlatFormInfos* infos_ = nullptr;
};

// The platform for code without a context: the chip of the request, whatever chip is named.
class PlatformAscendCManager {
  public:
    static PlatformAscendC* GetInstance();
    static PlatformAscendC* GetInstance(const char*) { return GetInstance(); }
};

}  // namespace platform_ascendc

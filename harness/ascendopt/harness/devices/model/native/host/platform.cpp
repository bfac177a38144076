#include "asc_host/platform.h"

#include <cstring>

#include "node.h"

namespace fe {

using ascendopt::host::ChipFacts;

namespace {

constexpr const char* kIntrinsic = "Intrinsic_";

// The keys of the platform tables that the chip facts can answer; others are "not found".
bool Lookup(const ChipFacts& chip, const std::string& key, std::string& value) {
    const auto number = [&value](uint64_t figure) {
        value = std::to_string(figure);
        return true;
    };
    if (key == "SoC_version") return value = chip.name, true;
    if (key == "Short_SoC_version") return value = chip.short_name, true;
    if (key == "ai_core_cnt" || key == "cube_core_cnt") return number(chip.aic_count);
    if (key == "vector_core_cnt") return number(chip.aiv_count);
    if (key == "l2_size") return number(chip.l2_bytes);
    if (key == "memory_size") return number(chip.hbm_bytes);
    if (key == "ub_size") return number(chip.ub_bytes);
    if (key == "l1_size") return number(chip.l1_bytes);
    if (key == "l0_a_size") return number(chip.l0a_bytes);
    if (key == "l0_b_size") return number(chip.l0b_bytes);
    if (key == "l0_c_size") return number(chip.l0c_bytes);
    if (key == "cube_freq") return number(chip.clock_mhz);
    if (key == "l2_rate") return chip.l2_bytes_per_cycle > 0 && number(chip.l2_bytes_per_cycle);
    if (key == "ddr_rate") return chip.hbm_bytes_per_cycle > 0 && number(chip.hbm_bytes_per_cycle);
    if (key.rfind(kIntrinsic, 0) == 0) {
        const auto found = chip.intrinsics.find(key.substr(std::strlen(kIntrinsic)));
        if (found != chip.intrinsics.end()) value = found->second;
        return found != chip.intrinsics.end();
    }
    if (key == "cube_vector_combine") return value = chip.split() ? "split" : "fuse", true;
    return false;
}

uint64_t Size(const ChipFacts& chip, LocalMemType type) {
    switch (type) {
        case LocalMemType::L0_A:
            return chip.l0a_bytes;
        case LocalMemType::L0_B:
            return chip.l0b_bytes;
        case LocalMemType::L0_C:
            return chip.l0c_bytes;
        case LocalMemType::L1:
            return chip.l1_bytes;
        case LocalMemType::L2:
            return chip.l2_bytes;
        case LocalMemType::UB:
            return chip.ub_bytes;
        case LocalMemType::HBM:
            return chip.hbm_bytes;
        default:
            return 0;
    }
}

}  // namespace

bool PlatFormInfos::GetPlatformRes(const std::string&, const std::string& key, std::string& value) {
    return chip_ != nullptr && Lookup(*chip_, key, value);
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType& type, uint64_t& bytes) {
    bytes = chip_ == nullptr ? 0 : Size(*chip_, type);
}

void PlatFormInfos::GetLocalMemBw(const LocalMemType& type, uint64_t& bytes_per_cycle) {
    bytes_per_cycle = 0;
    if (chip_ == nullptr) return;
    if (type == LocalMemType::L2) bytes_per_cycle = chip_->l2_bytes_per_cycle;
    if (type == LocalMemType::HBM) bytes_per_cycle = chip_->hbm_bytes_per_cycle;
}

uint32_t PlatFormInfos::GetCoreNum() const { return chip_ == nullptr ? 0 : chip_->aic_count; }

uint32_t PlatFormInfos::GetCoreNumByType(const std::string& core_type) const {
    if (chip_ == nullptr) return 0;
    return core_type == "VectorCore" ? chip_->aiv_count : chip_->aic_count;
}

}  // namespace fe

namespace platform_ascendc {

using ascendopt::host::ChipFacts;

static const ChipFacts& Chip(const fe::PlatFormInfos* infos) {
    static const ChipFacts none;
    return infos == nullptr || infos->chip() == nullptr ? none : *infos->chip();
}

uint32_t PlatformAscendC::GetCoreNumAiv() const {
    const ChipFacts& chip = Chip(infos_);
    return chip.split() ? chip.aiv_count : chip.aic_count;
}

uint32_t PlatformAscendC::GetCoreNum() const { return GetCoreNumAiv(); }

uint32_t PlatformAscendC::GetCoreNumAic() const { return Chip(infos_).aic_count; }

uint32_t PlatformAscendC::GetCoreNumVector() const {
    const ChipFacts& chip = Chip(infos_);
    return chip.split() ? 0 : chip.aiv_count;
}

void PlatformAscendC::GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const {
    bytes = 0;
    if (infos_ != nullptr && type <= CoreMemType::HBM) {
        infos_->GetLocalMemSize(static_cast<fe::LocalMemType>(static_cast<int>(type)), bytes);
    }
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const {
    bytes_per_cycle = 0;
    if (infos_ != nullptr && type <= CoreMemType::HBM) {
        infos_->GetLocalMemBw(static_cast<fe::LocalMemType>(static_cast<int>(type)), bytes_per_cycle);
    }
}

// A3 answers like A2, so that one operator binary serves both (documented at GetSocVersion).
SocVersion PlatformAscendC::GetSocVersion() const {
    const std::string& name = Chip(infos_).short_name;
    if (name == "Ascend910") return SocVersion::ASCEND910;
    if (name == "Ascend910B" || name == "Ascend910_93") return SocVersion::ASCEND910B;
    if (name == "Ascend310P") return SocVersion::ASCEND310P;
    if (name == "Ascend310B") return SocVersion::ASCEND310B;
    if (name == "Ascend910_95" || name == "Ascend950") return SocVersion::ASCEND910_95;
    if (name == "Ascend910_55") return SocVersion::ASCEND910_55;
    return SocVersion::RESERVED_VERSION;
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const {
    return static_cast<uint32_t>(Chip(infos_).lib_workspace_bytes);
}

// Mixed kernels start in groups of one cube core and its vector cores: enough groups for `slices`.
uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const {
    if (aic_cores == 0 || aiv_cores == 0 || aic_cores > aiv_cores) return slices;
    const uint32_t vectors_per_cube = aiv_cores / aic_cores;
    return (slices + vectors_per_cube - 1) / vectors_per_cube;
}

// Set for each request; the process works on one at a time.
static ChipFacts current;

PlatformAscendC* PlatformAscendCManager::GetInstance() {
    static fe::PlatFormInfos infos(&current);
    static PlatformAscendC platform(&infos);
    return &platform;
}

}  // namespace platform_ascendc

namespace ascendopt::host {

void set_current_chip(const ChipFacts& chip) { platform_ascendc::current = chip; }

}  // namespace ascendopt::host

#include "bench/measure/kernels.hpp"

#include <utility>

namespace kumihimo::bench {

BlockKernel::BlockKernel(std::int64_t bytes, const Labels& sent, const Labels& received, Call call)
    : bytes_(static_cast<std::size_t>(bytes)),
      labels_(received),
      sent_(bytes_ * sent.size()),
      received_(bytes_ * received.size()),
      call_(std::move(call)) {
    for (std::size_t i = 0; i < sent.size(); ++i) fill_block(sent_.bytes().subspan(i * bytes_, bytes_), sent[i]);
}

std::int64_t BlockKernel::wrong() const {
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i)
        wrong += wrong_bytes(received_.bytes().subspan(i * bytes_, bytes_), labels_[i]);
    return wrong;
}

ReductionKernel::ReductionKernel(std::int64_t elements, int rank, int ranks, Share received, Call call)
    : ranks_(ranks),
      share_(received),
      sent_(static_cast<std::size_t>(elements) * sizeof(float)),
      received_(static_cast<std::size_t>(received.count) * sizeof(float)),
      call_(std::move(call)) {
    fill_operands(sent_.floats(), rank);
}

std::int64_t ReductionKernel::wrong() const {
    return wrong_sums(received_.floats(), ranks_, share_.first);
}

}  // namespace kumihimo::bench

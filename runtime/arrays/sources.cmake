# Array functions: transposition, matrix product, gather, scatter, pack, unpack, sort.
list(APPEND KUMIHIMO_RUNTIME_SOURCES
  arrays/exchange.cpp arrays/indexed.cpp arrays/interface.cpp arrays/locator.cpp arrays/matmul.cpp arrays/multiply.cpp
  arrays/operand.cpp arrays/packed.cpp arrays/sort.cpp arrays/transpose.cpp arrays/work.cpp)
# Loops over elements: vectorised, in registers.
kumihimo_vectorised(arrays/multiply.cpp)

list(APPEND KUMIHIMO_IOD_SOURCES ring/consumer.cpp ring/producer.cpp)

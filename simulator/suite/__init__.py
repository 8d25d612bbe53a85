"""What `kumihimo simulate` is made of, in Python: the engine beside it is C++."""

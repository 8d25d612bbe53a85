"""What a user types besides the compilers: kumihimo and xmprun. Standard library only; nothing here needs MPI to start."""

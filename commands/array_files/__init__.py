"""`kumihimo files ls`, `dump`, `diff`, `verify`: what is in files of arrays, without the program that wrote them."""

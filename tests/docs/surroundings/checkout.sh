# The part of a checkout in which a reader tries the first example.
mkdir examples && cp -r "$1/examples/hello" examples

"""What xmpcc and xmpf90 tell of their command lines: --help, manual pages and completions. command_line.py reads them, and
gcc's options with them."""

from .. import configuration
from .command_line import IO_MODES
from .option_parser import Parser

_IO_HELP = {
    "c": "what stdio is when linking: local, of each node (default), or master I/O, where one node has "
    "files and standard input and output",
    "fortran": "what input and output statements without a directive are: local, of each node (default), or master I/O",
}
TEXT = """Compiles and links {language} programs with XcalableMP directives.

Takes the options of {plain}: -c -o -I -D -O -g -fopenmp -l -L -E -S -MD and so on. Without an -O it compiles with -O3.
Files without directives go to the compiler as they are."""
NOTES = """Run the program with `xmprun -n N program`. `kumihimo info` lists all settings.
{variable} names another compiler, KUMIHIMO_MPI another MPI family.

The plain compiler takes a saved translation with our options{or_pkg_config}:
  {plain_compiler} x.xmp{suffix} $({name} -showme:compile) $({name} -showme:link) -o x"""
WORDS = {
    "c": {
        "name": "xmpcc",
        "language": "C",
        "plain": "mpicc",
        "plain_compiler": "gcc",
        "suffix": ".c",
        "variable": "KUMIHIMO_CC",
        "or_pkg_config": ", or with those of\n`pkg-config --cflags --libs kumihimo`",
    },
    "fortran": {
        "name": "xmpf90",
        "language": "Fortran",
        "plain": "mpifort",
        "plain_compiler": "gfortran",
        "suffix": ".f90",
        "variable": "KUMIHIMO_FC",
        "or_pkg_config": "",
    },
}


def parser(language):
    """Of the command of that language."""
    words = WORDS[language]
    families = tuple(configuration.FAMILIES)
    one = Parser(words["name"], TEXT.format(**words), f"[options of {words['plain']}] FILE...", NOTES.format(**words))
    add = one.add_argument
    add(
        "--mpi",
        metavar="FAMILY",
        choices=families,
        help=f"MPI family: {', '.join(families)} (default: KUMIHIMO_MPI, else {configuration.DEFAULT_FAMILY})",
    )
    add("--coindex-base", choices=("0", "1"), help="number of the first image; 1 in programs of specification 1.0 (default: 0)")
    add("--io", choices=IO_MODES, help=_IO_HELP[language])
    if language == "fortran":
        add("--coarray", action="store_true", help="compile for coarrays, also where no file shows that the program has some")
    add(
        "--transport",
        metavar="NAME",
        choices=("mpi", "gasnet", "armci"),
        help="how images on other nodes are reached, where KUMIHIMO_TRANSPORT is not set: messages, mpi, gasnet, armci",
    )
    add(
        "--check",
        action="store_true",
        help="check accesses to distributed arrays at run time: subscripts that leave what the node stores, missing reflects",
    )
    add(
        "--explain",
        action="store_true",
        help="print what each directive communicates, which loops are vectorised and why not; make no program",
    )
    add("--json", action="store_true", help="with --explain: for programs")
    add(
        "--save-temps",
        nargs="?",
        choices=("cwd", "obj"),
        help="keep the translated source in this directory, or beside the object (obj): x{suffix} gives x.xmp{suffix}".format(
            **words
        ),
    )
    add("-show", action="store_true", help="print the compiler's command lines and run nothing")
    add("-showme:compile", action="store_true", help="print the options for compiling only")
    add("-showme:link", action="store_true", help="print the options for linking only")
    add("-v", action="store_true", help="print the command lines and run them")
    add("--version", action="store_true", help="the versions of Kumihimo, the MPI family and the compiler")
    return one

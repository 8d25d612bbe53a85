"""`kumihimo iod`: the program that serves files on another machine."""

from .command_line import Group
from .remote import installing

COMMAND = Group(
    "kumihimo iod",
    "Brings the program that serves files to another machine.",
    {"install": lambda: installing.COMMAND},
    "kumihimo iod install alice@centre.example.org",
)

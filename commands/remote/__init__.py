"""Commands on files of other machines, named stampi://[user@]host[:port]/path, and on those machines."""

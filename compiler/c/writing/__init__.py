"""From the syntax tree and the semantic model to edits of the user's text: plain C that calls
kumihimo/generated.h."""

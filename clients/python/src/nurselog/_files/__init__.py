"""Files of sites for the command: reading them in parts, the record of unfinished work, and writing the answers."""

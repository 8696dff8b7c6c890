"""Tables of sites: columns that are sent, pieces, retries, and answers in the kind of frame that was given."""

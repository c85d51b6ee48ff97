"""Coordination between pit and tables: price lists, deck register, dealer shifts, disputes."""

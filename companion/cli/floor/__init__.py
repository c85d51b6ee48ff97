"""A house of many tables: the floor's server, and how a table joins one."""

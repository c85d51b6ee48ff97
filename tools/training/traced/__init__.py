"""The third renderer: path-traced dice on tables with Mitsuba, stored in files from which training samples are cut.

It shares fonts, numerals, layouts, colors and table textures with the first renderer, but not the lighting.
"""

"""Where dice lie in a picture: they are looked for, measured, and set apart from hands and walls."""

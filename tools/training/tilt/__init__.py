"""The network that says whether a die's most frontal face is not its upper one: the camera stands aside."""

"""Dice recognition: where dice lie, which face is up, and when not to answer.

`Finder` detects dice in a picture, `Classifier` predicts what one crop shows, `judge` decides whether to answer.
`DiceReader` does all of it for a picture, `FrameJudge` over the frames of a die at rest.
"""

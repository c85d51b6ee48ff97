"""Reading dice: where they lie, which face is up, and when not to answer.

`Finder` looks for dice in a picture, `Classifier` says what one crop shows, `judge` whether that may be answered.
`DiceReader` does all of it for a picture, `FrameJudge` over the frames of a die at rest.
"""

"""From releases to normal scores: the Rosenblatt transforms, and the ideal releases behind rounded ones."""

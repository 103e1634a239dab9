"""Speed and memory as ratios against the limits of the machine."""

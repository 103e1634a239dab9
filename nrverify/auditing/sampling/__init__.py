"""Drawing from a subject look by look: the sampler, its units of work and whoever carries them out."""

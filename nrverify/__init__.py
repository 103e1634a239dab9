"""nrverify settles, by machine, whether noise-reduction differential privacy is right."""

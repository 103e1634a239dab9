"""The data of the experiments: files, downloads and synthetic stand-ins."""

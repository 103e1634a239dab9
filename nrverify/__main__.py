"""`python -m nrverify` is the command `nrverify`."""

from nrverify.cli import main

if __name__ == "__main__":  # and not where a worker of its own reads this file again
    main()

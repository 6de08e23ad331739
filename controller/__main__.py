"""`python -m controller` is the program `longzhuo`."""

from controller.cli import main

if __name__ == "__main__":
    main()

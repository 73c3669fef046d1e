#!/usr/bin/env python3
"""Entry point: prints what `varve dump` prints for one Varve file."""

import sys

from varve_reader.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

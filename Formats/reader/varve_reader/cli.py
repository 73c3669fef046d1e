"""Command line: prints the records of one file and says by its status what was found."""

import argparse
import os
import sys

from .frames import FILE_MAGIC
from .records import json_line, text_line
from .segment import TORN, SegmentWalk
from .superblock import dump_superblock, is_superblock

SOUND, UNREADABLE, DAMAGED, TORN_TAIL = 0, 2, 3, 4


def dump(data, emit, with_values=False):
    """Emits all records of a file as `emit(depth, kind, fields)` and returns the exit status."""
    if data.startswith(FILE_MAGIC):
        return _dump_segment(data, emit, with_values)
    if is_superblock(data):
        return SOUND if dump_superblock(data, emit) else DAMAGED
    return UNREADABLE


def _dump_segment(data, emit, with_values):
    """Dumps a file made of frames."""
    walk = SegmentWalk(data, emit, with_values)
    if walk.run() == TORN:
        return TORN_TAIL
    return DAMAGED if walk.errors else SOUND


def main(arguments):
    """Runs the command and returns its exit status."""
    parser = argparse.ArgumentParser(prog="varve_reader.py", description="Prints what is in a Varve file.")
    parser.add_argument("--jsonl", action="store_true", help="print JSON lines instead of text")
    parser.add_argument("--values", action="store_true", help="print every value of every column block")
    parser.add_argument("file")
    options = parser.parse_args(arguments)
    try:
        with open(options.file, "rb") as file:
            data = file.read()
    except OSError as error:
        print(f"{options.file}: {error.strerror}", file=sys.stderr)
        return UNREADABLE
    return _print(data, options)


def _print(data, options):
    """Prints the records; a reader that goes away early is no failure of the dump."""
    spell = json_line if options.jsonl else text_line
    out = sys.stdout.buffer

    def emit(depth, kind, fields):
        out.write(spell(depth, kind, fields).encode("utf-8") + b"\n")

    try:
        status = dump(data, emit, options.values)
        out.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return SOUND
    if status == UNREADABLE:
        print(f"{options.file}: not a Varve file", file=sys.stderr)
    return status

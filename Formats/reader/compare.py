#!/usr/bin/env python3
"""Compares what `varve dump` and this reader print: the same bytes and the same status, for sound and damaged files."""

import argparse
import itertools
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import test_reader as samples
from baseline_sample import Sample as Baseline
from damage import variants
from varve_reader import cli
from varve_reader.records import json_line, text_line

MODES = ((), ("--values",), ("--values", "--jsonl"), ("--jsonl",))
DAMAGED_BYTES_MAX = 1 << 20


def expected(data, mode):
    """Returns status and output of this reader."""
    spell = json_line if "--jsonl" in mode else text_line
    lines = []
    status = cli.dump(data, lambda *record: lines.append(spell(*record)), "--values" in mode)
    return status, "".join(line + "\n" for line in lines).encode("utf-8")


def actual(tool, path, mode):
    """Returns status and output of `varve dump`."""
    result = subprocess.run([tool, "dump", *mode, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return result.returncode, result.stdout


def first_difference(ours, theirs):
    """Describes where two outputs part."""
    if ours[0] != theirs[0]:
        return f"status {ours[0]} here, {theirs[0]} by varve dump"
    ours, theirs = ours[1].split(b"\n"), theirs[1].split(b"\n")
    for number, (a, b) in enumerate(zip(ours, theirs), 1):
        if a != b:
            return f"line {number}\n    here:       {_text(a)}\n    varve dump: {_text(b)}"
    return f"{len(ours)} lines here, {len(theirs)} by varve dump"


def _text(line):
    return line[:300].decode("utf-8", "replace")


class Comparison:
    """Runs comparisons in a few threads and keeps what differs."""

    def __init__(self, tool, keep):
        self.tool = tool
        self.keep = keep
        self.folder = tempfile.TemporaryDirectory()
        self.numbers = itertools.count()
        self.count = 0
        self.differences = 0

    def check(self, name, data, modes, path=None):
        """Compares one file in some modes; returns the first difference."""
        place = path or os.path.join(self.folder.name, f"{next(self.numbers)}.vlog")
        if path is None:
            with open(place, "wb") as file:
                file.write(data)
        try:
            for mode in modes:
                ours, theirs = expected(data, mode), actual(self.tool, place, mode)
                if ours != theirs:
                    return f"{name} {' '.join(mode)}: {first_difference(ours, theirs)}", data
            return None
        finally:
            if path is None:
                os.remove(place)

    def run(self, jobs):
        """Runs jobs of `check` and prints what differs."""
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for result in pool.map(lambda job: self.check(*job), jobs):
                self.count += 1
                if result is None:
                    continue
                self.differences += 1
                if self.differences <= 20:
                    print(f"different: {result[0]}")
                    self.save(result[1])

    def save(self, data):
        """Keeps a file that is read differently."""
        if self.keep:
            os.makedirs(self.keep, exist_ok=True)
            with open(os.path.join(self.keep, f"different-{self.differences}.vlog"), "wb") as file:
                file.write(data)


def own_samples():
    """Yields files of the test's own encoder, so that there is something to compare without golden files."""
    every = samples.Segment()
    every.tx(samples.transaction(1, [body for body, _ in samples.OPERATIONS]))
    every.tx(samples.transaction(2, [body for body, _ in samples.OPERATIONS], flags=0))
    blocks = samples.Segment()
    source = random.Random(5)
    for kind in (2, 3, 4, 8, 10):
        words = samples.random_words(source, kind)
        for encoding in (samples.PACKED, samples.DICTIONARY):
            blocks.block(samples.words_block(kind, encoding, words))
            blocks.block(samples.words_block(kind, encoding, [None, *words[:150], None]))
    for kind, cells in samples.BYTE_CELLS.items():
        for encoding in (samples.BYTES, samples.DICTIONARY):
            blocks.block(samples.bytes_block(kind, encoding, [*cells, None, *cells]))
    blocks.block(samples.bool_block([0, 1, None] * 50))
    yield "own sample: tiny", samples.tiny().seal().data
    yield "own sample: open", samples.tiny().data
    yield "own sample: columnar", samples.columnar().seal().data
    yield "own sample: operations", every.seal().data
    yield "own sample: blocks", blocks.data
    yield "own sample: baseline", Baseline().encoded()
    yield "own sample: baseline with gaps", Baseline(gap=b"newer").encoded()
    yield "own sample: superblock", samples.slot(0, 4) + samples.slot(1, 3)


def doubles(count):
    """Returns a file with many doubles: random bits, short decimals, neighbours of powers."""
    source = random.Random(6)
    numbers = [0.1, 1e16, 1.5e-07, 5e-324, sys.float_info.max, -0.0, math.inf, 123456789012345680.0, 0.0001, 0.00001]
    for _ in range(count):
        choice = source.randrange(4)
        if choice == 0:
            numbers.append(struct.unpack("<d", source.randbytes(8))[0])
        elif choice == 1:
            numbers.append(source.randrange(10 ** source.randrange(1, 18)) / 10.0 ** source.randrange(0, 20))
        elif choice == 2:
            numbers.append(math.nextafter(10.0 ** source.randrange(-300, 300), source.choice([0, math.inf])))
        else:
            numbers.append(math.ldexp(1.0, source.randrange(-1074, 1023)))
    words = [samples.NAN if number != number else struct.unpack("<Q", struct.pack("<d", number))[0] for number in numbers]
    segment = samples.Segment()
    for start in range(0, len(words), 65_536):
        segment.block(samples.words_block(4, samples.PLAIN, words[start:start + 65_536]))
    return segment.data


def modes_for(data):
    """Returns the modes for a sound file; a large one takes minutes in each, so it is printed in two of them."""
    return MODES if len(data) <= DAMAGED_BYTES_MAX else MODES[:2]


def main():
    """Compares all files that are given, and damaged variants of those that are small."""
    parser = argparse.ArgumentParser(prog="compare.py", description=__doc__)
    parser.add_argument("--varve", required=True, help="the program varve")
    parser.add_argument("--variants", type=int, default=600, help="damaged variants of each file, about")
    parser.add_argument("--seed", type=int, default=1, help="another seed damages other places")
    parser.add_argument("--keep", help="a folder for files that are read differently")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    comparison = Comparison(options.varve, options.keep)
    files = [(name, data, None) for name, data in own_samples()]
    for path in options.files:
        with open(path, "rb") as file:
            files.append((path, file.read(), path))
    comparison.run((name, data, modes_for(data), path) for name, data, path in files)
    comparison.run([("doubles", doubles(options.variants * 20), MODES[1:2])])
    sound = comparison.count
    for name, data, _ in files:
        if len(data) <= DAMAGED_BYTES_MAX:
            comparison.run(
                (f"{name}, {what}", damaged, MODES[1:2] if number % 8 else MODES)
                for number, (what, damaged) in enumerate(variants(data, options.variants, options.seed)))
    print(f"{sound} files and {comparison.count - sound} damaged variants: {comparison.differences} read differently")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())

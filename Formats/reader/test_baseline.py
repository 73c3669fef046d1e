"""Tests of the decoder of baselines."""

import unittest

from baseline_sample import Sample
from test_reader import errors, run


class BaselineTests(unittest.TestCase):
    def test_records(self):
        status, lines = run(Sample().encoded())
        self.assertEqual((status, errors(lines)), (0, []))
        self.assertTrue(lines[0].startswith("file type=baseline "))
        self.assertTrue(lines[-1].endswith("verdict=sealed frames=18 transactions=0"), lines[-1])
        for start in ("directory era=0 generation=5 ", "  creator index=2 parent=", "  schema declares=entity entity=7 ",
                      "  table entity=7 created=71 dead=2 hidden=1 columns=4 runs=2",
                      "    run creator=1 rows=70 blockRows=65536,64,65536,65536",
                      "      cells column=1 block=1 rows=0", "      authors block=0 rows=70 ",
                      "      overrides block=0 rows=3 ", "  side form=9 rows=0 offset="):
            self.assertEqual(len([line for line in lines if line.startswith(start)]), 4 if "overrides" in start else 1, start)

    def test_frames_that_may_be_skipped(self):
        sound, gaps = run(Sample().encoded())[1], run(Sample(gap=b"newer").encoded())
        self.assertEqual(gaps[0], 0)
        content = [line for line in gaps[1] if line.startswith("  seal ")][0].split()[1]
        self.assertIn(content, [line for line in sound if line.startswith("  seal ")][0])

    def test_flipped_bits_and_cuts_are_found(self):
        data = bytearray(Sample().encoded())
        for place in range(0, len(data), 3):
            data[place] ^= 1 << place % 8
            self.assertNotEqual(run(data)[0], 0, place)
            data[place] ^= 1 << place % 8
        for length in range(8, len(data), 7):
            status, lines = run(data[:length])
            self.assertNotEqual(status, 0, length)
            if length >= 128:
                self.assertIn("verdict=corrupt", lines[-1])

    def refused(self, change, code="badDirectory"):
        sample = Sample()
        change(sample)
        status, lines = run(sample.encoded())
        self.assertEqual((status, errors(lines)), (3, [code]))

    def test_rules_of_the_directory(self):
        self.refused(lambda sample: sample.creators.reverse())
        self.refused(lambda sample: sample.declarations.append(sample.declarations[0]))
        self.refused(lambda sample: sample.columns.reverse())
        self.refused(lambda sample: sample.columns.__setitem__(3, (4, 15, 0)))
        self.refused(lambda sample: sample.columns.__setitem__(3, (4, 9, 0)))
        self.refused(lambda sample: sample.runs.__setitem__(0, (4, 70, [0, 2, 0, 0])))
        self.refused(lambda sample: sample.runs.__setitem__(1, (1, 1, [0, 0, 1, 0])))
        self.refused(lambda sample: sample.runs.__setitem__(0, (1, 71, [0, 2, 0, 0])))
        self.refused(lambda sample: sample.runs.__setitem__(0, (1, 70, [3, 2, 0, 0])))
        self.refused(lambda sample: sample.sides.reverse())
        self.refused(lambda sample: sample.__setattr__("generation", 1 << 40))

    def test_header_and_seal_agree(self):
        for name, value in (("replica", b"x" * 16), ("salt", 5), ("previous", 1)):
            self.refused(lambda sample: sample.header_changes.__setitem__(name, value))
        self.refused(lambda sample: sample.header_changes.__setitem__("first", 1), "badHeader")
        for place in (16, 24, 28):
            self.refused(lambda sample: setattr(sample, "change_seal", lambda seal: seal[:place] + bytes([seal[place] ^ 1]) + seal[place + 1:]))
        self.refused(lambda sample: setattr(sample, "change_seal", lambda seal: seal[:36] + b"\x01" + seal[37:]), "badSeal")

    def test_marks(self):
        for index, words in ((0, [0, 0, 70]), (0, [0, 69, 0]), (1, [1, 1, 0]), (1, [1, 3, 4]), (3, [1, 2, 0]), (3, [1, 2, 4])):
            def change(sample):
                blocks = [list(run_blocks) for run_blocks in sample.blocks()]
                blocks[0][3][0][index] = sample.words(words)
                sample.blocks = lambda: iter(blocks)
            self.refused(change)


if __name__ == "__main__":
    unittest.main()

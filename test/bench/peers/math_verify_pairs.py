"""Grades pairs of answers with Math-Verify: a line of JSON pairs in, a line of [seconds, equal] per pair out."""

import json
import logging
import sys
import time

from math_verify import parse, verify

logging.disable(logging.CRITICAL)


def grade(gold, prediction):
    began = time.perf_counter()
    try:
        equal = bool(verify(parse(f"\\boxed{{{gold}}}"), parse(f"\\boxed{{{prediction}}}")))
    except Exception:
        equal = False
    return [time.perf_counter() - began, equal]


print("ready", flush=True)
for line in sys.stdin:
    print(json.dumps([grade(gold, prediction) for gold, prediction in json.loads(line)]), flush=True)

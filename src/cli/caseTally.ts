/** What `grade` and `extract` sum up. `right` is out of `expected`, the cases that say what should come out. */
export interface CaseSummary {
  readonly n: number;
  readonly expected: number;
  /** Found equal, or with a box. */
  readonly found: number;
  readonly right: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  readonly unknown: number;
  readonly slowestMs: number;
}

/** Counts what came out against what the cases expect. Cases that expect nothing count in `n`, `unknown` and time alone. */
export class CaseTally {
  private readonly counts = {
    n: 0,
    expected: 0,
    found: 0,
    right: 0,
    falsePositives: 0,
    falseNegatives: 0,
    unknown: 0,
    slowestMs: 0,
  };

  add(expected: boolean | undefined, found: boolean, unknown: boolean, milliseconds: number): void {
    this.counts.n += 1;
    if (found) this.counts.found += 1;
    if (unknown) this.counts.unknown += 1;
    this.counts.slowestMs = Math.max(this.counts.slowestMs, Math.round(milliseconds * 1000) / 1000);
    if (expected === undefined) return;
    this.counts.expected += 1;
    if (expected === found) this.counts.right += 1;
    else if (found) this.counts.falsePositives += 1;
    else this.counts.falseNegatives += 1;
  }

  get summary(): CaseSummary {
    return { ...this.counts };
  }
}

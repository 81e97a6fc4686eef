/** How fast something goes on, by which it is told when it will be done. */
export class Pace {
  private began = performance.now();
  private from: number;

  /** @param from what is done already. */
  constructor(from: number) {
    this.from = from;
  }

  /** More was there already than was known. */
  startFrom(from: number): void {
    this.from = from;
  }

  /** Leaves out time in which nothing was answered. */
  skip(milliseconds: number): void {
    this.began += milliseconds;
  }

  secondsLeft(done: number, all: number): number {
    const seconds = (performance.now() - this.began) / 1000;
    return (seconds / Math.max(1, done - this.from)) * (all - done);
  }
}

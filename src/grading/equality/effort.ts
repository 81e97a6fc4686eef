/** Work ran out: the comparison ends as unknown. */
export class Exhausted extends Error {}

/** A text that no reading fits. The message is a clause: "an operand is missing". */
export class Unread extends Error {}

/** Steps that one comparison may take. They stand in for a clock: the same pair gets the same verdict on every machine. */
export class Effort {
  private left: number;

  constructor(steps: number) {
    this.left = steps;
  }

  /** @throws Exhausted */
  spend(steps = 1): void {
    this.left -= steps;
    if (this.left < 0) throw new Exhausted('the comparison takes too many steps');
  }
}

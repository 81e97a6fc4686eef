/** How many evaluations come within `steps`, one after every `every`-th but the last; none where that is 0. */
export const evaluationsWithin = (steps: number, every: number): number =>
  every === 0 ? 0 : Math.max(0, Math.floor((steps - 1) / every));

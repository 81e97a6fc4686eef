import type { Phase } from '../src/schema/journal';
import type { RunHead, ToDashboard } from '../src/schema/messages';
import type { StepPoint } from '../src/schema/runState';

/** What the page knows of its run: the last head and every point. */
export class RunModel {
  run: RunHead | undefined;
  points: StepPoint[] = [];
  gone = false;
  private seq = -1;
  /** Names of the metrics that a phase has shown. */
  readonly metrics: Record<Phase, Set<string>> = { coldStart: new Set(), reinforcement: new Set() };

  /** @returns false when the message does not follow what is known, so that a snapshot must be asked for. */
  apply(message: ToDashboard): boolean {
    if (message.type === 'gone') {
      this.gone = true;
      return true;
    }
    if (message.type === 'append' && message.from !== this.seq) return false;
    if (message.type === 'snapshot') {
      this.points = [];
      for (const known of Object.values(this.metrics)) known.clear();
    }
    this.gone = false;
    this.seq = message.seq;
    this.run = message.run;
    for (const point of message.points) {
      this.points.push(point);
      for (const metric of Object.keys(point.metrics)) this.metrics[point.phase].add(metric);
    }
    return true;
  }

  of(phase: Phase): StepPoint[] {
    return this.points.filter((point) => point.phase === phase);
  }
}

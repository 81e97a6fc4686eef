import type { RolloutPlace } from '../../schema/trajectory';

/** Which trajectory a document shows. Branches count from 0, as in the journal. */
export interface TrajectoryAddress {
  readonly runId: string;
  readonly place: RolloutPlace;
  readonly problemId: string;
  readonly branch: number;
}

/** What a tab is called after; the whole id stands before it. */
const shortName = (problemId: string): string => problemId.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 40);

/** `/<run>/step 137/<problem>/<problem> branch 4.retool`: all that is needed to find it again after a restart. */
export function trajectoryPath({ runId, place, problemId, branch }: TrajectoryAddress): string {
  const where = 'step' in place ? `step ${place.step}` : `evaluation ${encodeURIComponent(place.evaluation)}`;
  const file = `${shortName(problemId)} branch ${branch}.retool`;
  return `/${encodeURIComponent(runId)}/${where}/${encodeURIComponent(problemId)}/${file}`;
}

export function parseTrajectoryPath(path: string): TrajectoryAddress | undefined {
  const match =
    /^\/(?<run>[^/]+)\/(?:step (?<step>\d+)|evaluation (?<evaluation>[^/]+))\/(?<problem>[^/]+)\/[^/]* branch (?<branch>\d+)\.retool$/.exec(
      path,
    );
  const { run, step, evaluation, problem, branch } = match?.groups ?? {};
  if (run === undefined || problem === undefined) return undefined;
  try {
    return {
      runId: decodeURIComponent(run),
      place: step === undefined ? { evaluation: decodeURIComponent(evaluation ?? '') } : { step: Number(step) },
      problemId: decodeURIComponent(problem),
      branch: Number(branch),
    };
  } catch {
    return undefined;
  }
}

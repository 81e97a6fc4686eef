/** Which trajectory a document shows. Branches count from 0, as in the journal. */
export interface TrajectoryAddress {
  readonly runId: string;
  readonly step: number;
  readonly problemId: string;
  readonly branch: number;
  /** Place of the problem in its step, from 1: for the name alone. */
  readonly number: number;
}

/** `/<run>/step 137/<problem>/s137-q3-t5.retool`: all that is needed to find it again after a restart. */
export function trajectoryPath({ runId, step, problemId, branch, number }: TrajectoryAddress): string {
  const file = `s${step}-q${number}-t${branch + 1}.retool`;
  return `/${encodeURIComponent(runId)}/step ${step}/${encodeURIComponent(problemId)}/${file}`;
}

export function parseTrajectoryPath(path: string): TrajectoryAddress | undefined {
  const match = /^\/([^/]+)\/step (\d+)\/([^/]+)\/s\d+-q(\d+)-t(\d+)\.retool$/.exec(path);
  if (!match) return undefined;
  const [, runId, step, problemId, number, branch] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  try {
    return {
      runId: decodeURIComponent(runId),
      step: Number(step),
      problemId: decodeURIComponent(problemId),
      branch: Number(branch) - 1,
      number: Number(number),
    };
  } catch {
    return undefined;
  }
}

/** `Step 137 · Q3 · T5`, without the word for step. */
export const trajectoryTitle = ({ number, branch }: TrajectoryAddress): string => `Q${number} · T${branch + 1}`;

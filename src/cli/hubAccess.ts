import { Hub } from '../hub/hub';
import { parseSource } from '../hub/hubSource';
import type { FetchProgress } from '../hub/hubWait';
import type { Output } from './output';

/** The hub that `--hub` names, else that of the environment, with its progress told. */
export const hubAccess = (setting: string | undefined, output: Output) => ({
  hub: new Hub(setting === undefined ? {} : { source: parseSource(setting) }),
  onFetch: fetchProgress(output),
});

/** A terminal is told ten times a second, anything else at every quarter. */
function fetchProgress(output: Output): (progress: FetchProgress) => void {
  let last = { name: '', quarter: -1, time: 0 };
  return ({ name, received, total }) => {
    const now = Date.now();
    const quarter = total ? Math.floor((4 * received) / total) : 0;
    const isNew = name !== last.name || quarter > last.quarter;
    if (!isNew && !(process.stdout.isTTY && now - last.time >= 100)) return;
    last = { name, quarter, time: now };
    const far = total === undefined ? megabytes(received) : `${megabytes(received)} of ${megabytes(total)}`;
    output.progress(`Fetching ${name}: ${far} MB`);
  };
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

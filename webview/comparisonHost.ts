import type { ComparisonState, FromComparison } from '../src/schema/comparison';
import type { ComparisonWords } from '../src/schema/comparisonWords';

interface VsCode {
  postMessage(message: FromComparison): void;
  getState(): Partial<ComparisonState> | undefined;
  setState(state: ComparisonState): void;
}
declare function acquireVsCodeApi(): VsCode;

/** The extension host, as this page sees it. */
export const host: VsCode = acquireVsCodeApi();

const json = (id: string): unknown => JSON.parse(document.getElementById(id)?.textContent ?? '{}');

/** Every word of the page, translated by the host. */
export const words = json('strings') as ComparisonWords;
export const { source } = json('panel') as Pick<ComparisonState, 'source'>;

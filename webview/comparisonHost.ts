import type { ComparisonState, FromComparison } from '../src/schema/comparison';
import type { ComparisonWords } from '../src/schema/comparisonWords';
import { hostOf, json } from './page';

/** The extension host, as this page sees it. */
export const host = hostOf<FromComparison, ComparisonState>();

/** Every word of the page, translated by the host. */
export const words = json('strings') as ComparisonWords;
export const { source } = json('panel') as Pick<ComparisonState, 'source'>;

import type { DashboardWords } from '../src/schema/dashboardWords';
import type { DashboardState, FromDashboard } from '../src/schema/messages';

interface VsCode {
  postMessage(message: FromDashboard): void;
  getState(): Partial<DashboardState> | undefined;
  setState(state: DashboardState): void;
}
declare function acquireVsCodeApi(): VsCode;

/** The extension host, as this page sees it. */
export const host: VsCode = acquireVsCodeApi();

const json = (id: string): unknown => JSON.parse(document.getElementById(id)?.textContent ?? '{}');

/** Every word of the page, translated by the host. */
export const words = json('strings') as DashboardWords;
export const { folder } = json('panel') as { folder: string };

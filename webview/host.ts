import type { DashboardWords } from '../src/schema/dashboardWords';
import type { DashboardState, FromDashboard } from '../src/schema/messages';

interface VsCode<Message, State> {
  postMessage(message: Message): void;
  getState(): Partial<State> | undefined;
  setState(state: State): void;
}
declare function acquireVsCodeApi<Message, State>(): VsCode<Message, State>;

/** The extension host, as this page sees it. */
export const host = acquireVsCodeApi<FromDashboard, DashboardState>();

/** The same host, of another page that has charts: a page may ask for it once only. */
export const hostOf = <Message, State>() => host as unknown as VsCode<Message, State>;

const json = (id: string): unknown => JSON.parse(document.getElementById(id)?.textContent ?? '{}');

/** Every word of the page, translated by the host. */
export const words = json('strings') as DashboardWords;
export const { folder } = json('panel') as { folder: string };

import type { DashboardWords } from '../src/schema/dashboardWords';
import type { DashboardState, FromDashboard } from '../src/schema/messages';
import { hostOf, json } from './page';

/** The extension host, as this page sees it. */
export const host = hostOf<FromDashboard, DashboardState>();

/** Every word of the page, translated by the host. */
export const words = json('strings') as DashboardWords;
export const { folder } = json('panel') as { folder: string };

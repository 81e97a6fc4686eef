import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import type { FromDashboard, ToDashboard } from '../schema/messages';
import type { RunState } from '../schema/runState';
import { DashboardFeed } from './dashboardFeed';
import type { Log } from './log';
import { startText } from './model/format';
import { runHead } from './model/runHead';
import { onDemand } from './onDemand';
import type { Strings } from './strings';
import { WebviewChannel } from './webviewChannel';
import { furnish } from './webviewPage';

const viewType = 'retool.dashboard';

interface Parts {
  readonly store: RunStore;
  readonly strings: Strings;
  readonly extension: vscode.Uri;
  readonly log: Log;
  isOwn(runId: string): boolean;
  /** Resolves when the store has the runs that are on the disk. */
  settled(): Promise<void>;
}

/** The dashboards that are open: at most one a run. */
export class Dashboards extends DisposableStore implements vscode.WebviewPanelSerializer {
  private readonly parts: Parts;
  private readonly panels = new Map<string, vscode.WebviewPanel>();

  constructor(parts: Parts) {
    super();
    this.parts = parts;
    this.add(vscode.window.registerWebviewPanelSerializer(viewType, this));
  }

  open(runId: string): void {
    const known = this.panels.get(runId);
    if (known) {
      known.reveal(undefined, false);
      return;
    }
    const run = this.parts.store.get(runId);
    const panel = vscode.window.createWebviewPanel(viewType, '', vscode.ViewColumn.Active, {});
    this.bind(panel, runId, run?.folder ?? '');
  }

  /** The run whose dashboard a person works in. */
  current(): string | undefined {
    return [...this.panels].find(([, { active }]) => active)?.[0];
  }

  close(runId: string): void {
    this.panels.get(runId)?.dispose();
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { DashboardState } = await onDemand.messages();
    const parsed = DashboardState.safeParse(state);
    if (!parsed.success) return panel.dispose();
    await this.parts.settled();
    const runId = basename(parsed.data.folder);
    if (this.parts.store.get(runId)) this.bind(panel, runId, parsed.data.folder);
    else panel.dispose();
  }

  private bind(panel: vscode.WebviewPanel, runId: string, folder: string): void {
    const { store, strings, extension, log } = this.parts;
    const owned = new DisposableStore();
    this.panels.set(runId, panel);
    const setTitle = (run: RunState | undefined) => {
      const title = run ? strings.runTab(run.name, startText(run.startedAt)) : runId;
      if (panel.title !== title) panel.title = title;
    };
    setTitle(store.get(runId));
    const feed = owned.add(
      new DashboardFeed({
        runId,
        store,
        smoothing: () => vscode.workspace.getConfiguration('retool').get('dashboard.smoothing', 0.6),
        visible: () => panel.visible,
        head: (run) => {
          setTitle(run);
          return runHead(run, { trusted: vscode.workspace.isTrusted, own: this.parts.isOwn(runId) });
        },
        send: (message) => channel.send(message),
      }),
    );
    const channel = owned.add(
      new WebviewChannel<FromDashboard, ToDashboard>(
        panel.webview,
        async (message) => (await onDemand.messages()).FromDashboard.parse(message),
        (message) => this.receive(message, runId, feed),
        (error) => log.warn(`dashboard: ${error}`),
      ),
    );
    owned.add(panel.onDidChangeViewState(() => feed.snapshot()));
    owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => feed.schedule()));
    furnish(panel, extension, {
      icon: 'graph',
      name: 'dashboard',
      styles: ['dashboard.css'],
      data: { strings: strings.dashboard, panel: { folder }, 'chart-data': [] },
    });
    panel.onDidDispose(() => {
      if (this.panels.get(runId) === panel) this.panels.delete(runId);
      owned.dispose();
    });
  }

  private receive(message: FromDashboard, runId: string, feed: DashboardFeed): void {
    const run = (command: string, argument: unknown) => void vscode.commands.executeCommand(command, argument);
    if (message.type === 'openStep') run('retool.openTrajectory', { runId, place: { step: message.step } });
    else if (message.type === 'act') void this.act(message.action, runId, feed);
    else if (message.type === 'problem') this.parts.log.error(`dashboard: ${message.message}`);
    else feed.snapshot();
  }

  /** What came of it is told the page in any case: its button says meanwhile that it was pressed. */
  private async act(action: keyof typeof actions, runId: string, feed: DashboardFeed): Promise<void> {
    await vscode.commands.executeCommand(actions[action], runId);
    feed.schedule();
  }
}

const actions = {
  stop: 'retool.stopTraining',
  resume: 'retool.resumeTraining',
  showLog: 'retool.showLog',
  manageTrust: 'workbench.trust.manage',
} as const;

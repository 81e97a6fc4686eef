import * as vscode from 'vscode';
import type { RolloutSummary } from '../journal/rolloutIndex';
import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import type { RunState } from '../schema/runState';
import type { RolloutPlace } from '../schema/trajectory';
import {
  childrenOf,
  importedNode,
  parentKey,
  problemsOf,
  runNode,
  stepNode,
  type TreeNode,
  verdictsOf,
} from './model/treeNode';
import { treeRow } from './model/treeRow';
import { onDemand } from './onDemand';
import { runUri } from './runDecorations';
import type { Strings } from './strings';

/** A changed run is drawn again at most this often. */
const refreshMilliseconds = 1000;
/** A run that came or went is shown sooner. */
const newRunMilliseconds = 100;
const indexesKept = 8;

/** The runs of the workspace. Holds no run: it asks the store, and the disk for what lies below a step. */
export class RunsTree extends DisposableStore implements vscode.TreeDataProvider<TreeNode> {
  private readonly changes = new vscode.EventEmitter<TreeNode | undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly nodes = new Map<string, TreeNode>();
  private readonly indexes = new Map<string, RolloutSummary[]>();
  private readonly stale = new Set<string>();
  private shown = '';
  private timer: NodeJS.Timeout | undefined;
  private readonly store: RunStore;
  private readonly strings: Strings;

  constructor(store: RunStore, strings: Strings) {
    super();
    this.store = store;
    this.strings = strings;
    this.add(this.changes);
    this.add(store.onDidChange((id) => this.markStale(id)));
    this.add({ dispose: () => clearTimeout(this.timer) });
  }

  /** Draws everything again. */
  refresh(): void {
    this.changes.fire(undefined);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const run = this.store.get(node.runId);
    if (!run) return new vscode.TreeItem(node.key);
    const row = treeRow(node, run, this.strings);
    const { None, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(row.label, row.expanded === undefined ? None : Collapsed);
    item.id = node.key;
    item.contextValue = row.context;
    if (row.description) item.description = row.description;
    if (row.tooltip) item.tooltip = row.tooltip;
    if (row.icon)
      item.iconPath = new vscode.ThemeIcon(row.icon, row.color ? new vscode.ThemeColor(row.color) : undefined);
    if (node.kind === 'run') item.resourceUri = runUri(run);
    if (node.kind === 'imported' && this.store.shelfIds().length > 1)
      item.description = `${row.description} · ${run.name}`;
    const command = opens[node.kind];
    if (command) item.command = { command, title: row.label, arguments: [node] };
    item.accessibilityInformation = {
      label: row.spoken ?? [row.label, row.description].filter(Boolean).join(', '),
    };
    return item;
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (!node) {
      const ids = this.roots();
      this.shown = ids.join('\n');
      return ids.map((id) => this.root(id));
    }
    const run = this.store.get(node.runId);
    if (!run) return [];
    if (node.kind !== 'step' && node.kind !== 'evaluation')
      return childrenOf(node, run).map((child) => this.keep(child));
    const place = node.kind === 'step' ? { step: node.step } : { evaluation: node.id };
    const rows = await this.rollouts(run, place);
    const children = node.kind === 'step' ? problemsOf(node.key, run.id, place, rows) : verdictsOf(node, rows);
    if (children.length > 0) return children.map((child) => this.keep(child));
    return [{ kind: 'hint', key: `${node.key}/none`, runId: node.runId, text: this.strings.tree.noRollouts }];
  }

  getParent(node: TreeNode): TreeNode | undefined {
    const key = parentKey(node, this.store.get(node.runId));
    if (key === undefined) return undefined;
    return this.nodes.get(key) ?? this.ancestor(key, node.runId);
  }

  /** The node of a step, to be revealed. */
  step(runId: string, step: number): TreeNode {
    return this.keep(stepNode(runId, step));
  }

  /** The rollouts of a step stay what they are, so an open step is not read again each time its run moves on. */
  private async rollouts(run: RunState, place: RolloutPlace): Promise<RolloutSummary[]> {
    const key = `${run.id} ${run.attempt} ${JSON.stringify(place)}`;
    const known = 'step' in place ? this.indexes.get(key) : undefined;
    if (known) return known;
    const { readRolloutsAt } = await onDemand.rollouts();
    const rows = await readRolloutsAt(run.folder, place).catch(() => []);
    if (rows.length > 0) this.indexes.set(key, rows);
    const [oldest] = this.indexes.keys();
    if (this.indexes.size > indexesKept && oldest !== undefined) this.indexes.delete(oldest);
    return rows;
  }

  /** Runs, newest first, then what was imported. */
  private roots(): string[] {
    return [...this.store.ids(), ...this.store.shelfIds()];
  }

  private root(id: string): TreeNode {
    return this.keep(this.store.isShelf(id) ? importedNode(id) : runNode(id));
  }

  private ancestor(key: string, runId: string): TreeNode {
    if (key === runId) return this.root(runId);
    const run = this.store.get(runId);
    const steps: TreeNode = { kind: 'steps', key: `${runId}/steps`, runId };
    const range = run && childrenOf(steps, run).find((child) => child.key === key);
    return this.keep(range ?? steps);
  }

  /** VS Code knows a node by its object, so a key always gets the same one. */
  private keep(node: TreeNode): TreeNode {
    const known = this.nodes.get(node.key);
    if (known && !('group' in known) && !('row' in known) && !('rows' in known)) return known;
    this.nodes.set(node.key, node);
    return node;
  }

  private markStale(id: string): void {
    this.stale.add(id);
    const isNew = !this.shown.split('\n').includes(id);
    if (this.timer && !isNew) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refreshStale(), isNew ? newRunMilliseconds : refreshMilliseconds);
  }

  private refreshStale(): void {
    this.timer = undefined;
    const ids = [...this.stale];
    this.stale.clear();
    for (const id of ids) {
      if (!this.store.get(id))
        for (const key of this.nodes.keys()) if (key === id || key.startsWith(`${id}/`)) this.nodes.delete(key);
    }
    if (this.roots().join('\n') !== this.shown) this.changes.fire(undefined);
    else for (const id of ids) this.changes.fire(this.nodes.get(id));
  }
}

const opens: { readonly [Kind in TreeNode['kind']]?: string } = {
  dashboard: 'retool.openDashboard',
  checkpoint: 'retool.evaluateCheckpoint',
  experiment: 'retool.openExperiment',
  trajectory: 'retool.openTrajectory',
};

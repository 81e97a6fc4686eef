import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import { type SandboxRow, sandboxRows } from './model/sandboxRows';
import { onDemand } from './onDemand';
import { chosenInterpreter } from './sandboxSettings';
import type { Strings } from './strings';

const spoken = ({ label, description }: SandboxRow): string => [label, description].filter(Boolean).join(': ');

/** What `retool sandbox probe` says, as a tree. The sandbox is probed when the view is first shown. */
export class SandboxView implements vscode.TreeDataProvider<SandboxRow> {
  private readonly strings: Strings;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private rows: Promise<SandboxRow[]> | undefined;

  constructor(strings: Strings) {
    this.strings = strings;
  }

  dispose(): void {
    this.changed.dispose();
  }

  /** Probes again, now where the view is shown and later where it is not. */
  refresh(): void {
    this.rows = undefined;
    this.changed.fire();
  }

  /** Probes again. @returns the level in use, or why there is none, in a line. */
  async check(): Promise<string> {
    this.refresh();
    const rows = await this.getChildren();
    const inForce = rows.find(({ children }) => children);
    return inForce ? this.strings.sandbox.checked(inForce.label, inForce.description ?? '') : (rows[0]?.label ?? '');
  }

  getChildren(row?: SandboxRow): SandboxRow[] | Promise<SandboxRow[]> {
    if (row) return [...(row.children ?? [])];
    if (!vscode.workspace.isTrusted) return [];
    this.rows ??= this.probe();
    return this.rows;
  }

  getTreeItem(row: SandboxRow): vscode.TreeItem {
    const { label, description, icon, children } = row;
    const { None, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(label, children ? Expanded : None);
    item.iconPath = new vscode.ThemeIcon(icon);
    item.tooltip = spoken(row);
    item.accessibilityInformation = { label: item.tooltip };
    if (description !== undefined) item.description = description;
    return item;
  }

  private async probe(): Promise<SandboxRow[]> {
    try {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      const { reportSandbox } = await onDemand.sandboxSetup();
      return sandboxRows(await reportSandbox(await chosenInterpreter(folder?.uri)), this.strings);
    } catch (error) {
      const { message, hint } = RetoolError.from('python', this.strings.sandbox.fails, error);
      return [{ label: message, icon: 'error', ...(hint !== undefined && { description: hint }) }];
    }
  }
}

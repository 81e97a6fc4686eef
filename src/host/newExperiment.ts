import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import { experimentSuffix } from './experimentPicker';
import { dataFiles } from './model/dataFiles';
import { onDemand } from './onDemand';
import { dismissed } from './runPicker';
import type { Strings } from './strings';

interface Example {
  readonly uri: vscode.Uri;
  readonly name: string;
  readonly description: string;
  /** Relative to the example. */
  readonly files: readonly string[];
}

/** Copies an example and its problem files into the workspace and opens it. Files that exist are kept. */
export async function newExperiment(extension: vscode.Uri, strings: Strings): Promise<vscode.Uri> {
  const target = await pickFolder(strings);
  const example = await pickExample(vscode.Uri.joinPath(extension, 'examples'), strings);
  const copies = [basename(example.uri.path), ...example.files].map((path) => ({
    path,
    from: vscode.Uri.joinPath(example.uri, '..', path),
    to: vscode.Uri.joinPath(target, path),
  }));
  const present = await Promise.all(copies.map(({ to }) => fileExists(to)));
  const existing = copies.filter((_, i) => present[i]);
  if (existing.length > 0) {
    const { existAsk, existDetail, keepAndOpen } = strings.experiment;
    const detail = existDetail(existing.map(({ path }) => path).join(', '));
    const chosen = await vscode.window.showWarningMessage(existAsk, { modal: true, detail }, keepAndOpen);
    if (chosen !== keepAndOpen) throw dismissed();
  }
  for (const { from, to } of copies.filter((_, i) => !present[i])) {
    await vscode.workspace.fs.copy(from, to, { overwrite: false });
    if (to.path.endsWith(experimentSuffix)) await withoutSchema(to);
  }
  const created = copies[0]!.to;
  await vscode.window.showTextDocument(created);
  return created;
}

/** The schema of an example lies beside it; that of a copy comes with the extension. */
async function withoutSchema(uri: vscode.Uri): Promise<void> {
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  const changed = text.replace(/^\s*"\$schema":[^\n]*\n/m, '');
  if (changed !== text) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(changed));
}

async function pickFolder({ training, experiment }: Strings): Promise<vscode.Uri> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [only] = folders;
  if (!only) throw new RetoolError('usage', training.noFolder);
  if (folders.length === 1) return only.uri;
  const chosen = await vscode.window.showWorkspaceFolderPick({ placeHolder: experiment.pickFolder });
  if (!chosen) throw dismissed();
  return chosen.uri;
}

async function pickExample(folder: vscode.Uri, strings: Strings): Promise<Example> {
  const examples = await findExamples(folder);
  if (examples.length === 0) throw new RetoolError('usage', strings.experiment.noExamples);
  const items = examples.map((example) => ({
    example,
    label: example.name,
    detail: example.description,
    iconPath: new vscode.ThemeIcon('beaker'),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: strings.experiment.pickExample,
    matchOnDetail: true,
  });
  if (!chosen) throw dismissed();
  return chosen.example;
}

/** Examples lie in the folder or one below. */
async function findExamples(folder: vscode.Uri, depth = 1): Promise<Example[]> {
  const { parseExperiment } = await onDemand.experiments();
  const entries = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(() => []);
  const found = await Promise.all(
    entries.map(async ([name, type]): Promise<Example[]> => {
      const uri = vscode.Uri.joinPath(folder, name);
      if (type === vscode.FileType.Directory) return depth > 0 ? findExamples(uri, depth - 1) : [];
      if (!name.endsWith(experimentSuffix)) return [];
      const text = await readFile(uri.fsPath, 'utf8');
      const { experiment } = parseExperiment(text);
      if (!experiment) return [];
      const files = dataFiles(experiment, text).map(({ path }) => path);
      return [{ uri, name: experiment.name, description: experiment.description ?? name, files }];
    }),
  );
  return found.flat();
}

const fileExists = async (uri: vscode.Uri): Promise<boolean> =>
  Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );

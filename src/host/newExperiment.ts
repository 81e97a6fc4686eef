import { readFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import type { JSONPath } from 'jsonc-parser';
import * as vscode from 'vscode';
import { isHubName } from '../hub/hubName';
import { RetoolError } from '../lib/errors';
import type { Preset } from '../presets/presets';
import { experimentSuffix, leftOut } from './experimentPicker';
import { edited } from './model/editedJson';
import { onDemand } from './onDemand';
import { chooseOne, dismissed } from './quickPick';
import type { Strings } from './strings';
import { pickWorkspaceFolder } from './workspaceFolder';

/** What an experiment can begin as. */
interface Beginning {
  readonly name: string;
  /** The text of the experiment under a name. */
  text(name: string): Promise<string>;
  /** Where its problem files lie. */
  readonly data: vscode.Uri;
}

/**
 * Makes an experiment of its own name from an example or a published system, and opens it. Problem files that are in
 * the workspace already are used where they lie; others are copied beside the experiment.
 */
export async function newExperiment(extension: vscode.Uri, strings: Strings): Promise<vscode.Uri> {
  const folder = await pickWorkspaceFolder(strings.experiment.pickFolder, strings);
  const beginning = await pickBeginning(vscode.Uri.joinPath(extension, 'examples'), strings);
  const name = await askName(beginning.name, folder, strings);
  const uri = experimentUri(folder, name);
  const { dataFilesIn } = await onDemand.dataFiles();
  let text = await beginning.text(name);
  for (const { location, path } of dataFilesIn(text)) {
    if (isHubName(path)) continue;
    text = edited(text, [...location], await provide(vscode.Uri.joinPath(beginning.data, path), folder, name));
  }
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  await vscode.window.showTextDocument(uri);
  return uri;
}

const experimentUri = (folder: vscode.Uri, name: string): vscode.Uri =>
  vscode.Uri.joinPath(folder, `${name}${experimentSuffix}`);

/** Asks for a name that is not taken; the first one offered is free. */
async function askName(example: string, folder: vscode.Uri, { experiment: words }: Strings): Promise<string> {
  const { Experiment } = await import('../schema/experiment');
  const taken = (name: string) => fileExists(experimentUri(folder, name));
  let value = example;
  for (let n = 2; await taken(value); n++) value = `${example}-${n}`;
  const name = await vscode.window.showInputBox({
    title: words.askName,
    prompt: words.nameBecomes,
    value,
    ignoreFocusOut: true,
    validateInput: async (typed) => {
      if (!Experiment.shape.name.safeParse(typed.trim()).success) return words.badName;
      return (await taken(typed.trim())) ? words.nameTaken(`${typed.trim()}${experimentSuffix}`) : undefined;
    },
  });
  if (name === undefined) throw dismissed();
  return name.trim();
}

/** @returns the path, from `folder`, of a file with the content of `from`: one of the workspace, or else a copy. */
async function provide(from: vscode.Uri, folder: vscode.Uri, experiment: string): Promise<string> {
  const wanted = basename(from.path);
  const content = await readFile(from.fsPath);
  const known = await vscode.workspace.findFiles(new vscode.RelativePattern(folder, `**/${wanted}`), leftOut);
  for (const { fsPath } of known.sort((a, b) => a.path.length - b.path.length)) {
    if (content.equals(await readFile(fsPath))) return relative(folder.fsPath, fsPath).replaceAll('\\', '/');
  }
  const path = known.some(({ path }) => path === vscode.Uri.joinPath(folder, wanted).path)
    ? `${experiment}.${wanted}`
    : wanted;
  await vscode.workspace.fs.copy(from, vscode.Uri.joinPath(folder, path), { overwrite: true });
  return path;
}

const readText = async (uri: vscode.Uri): Promise<string> => new TextDecoder().decode(await readFile(uri.fsPath));

/** Without a field and the line that it stood on. */
const without = (text: string, path: JSONPath): string => edited(text, path, undefined).replace(/^\{\s*\n/, '{\n');

async function pickBeginning(examples: vscode.Uri, strings: Strings): Promise<Beginning> {
  const words = strings.preset;
  const found = await findExamples(examples);
  if (found.length === 0) throw new RetoolError('usage', strings.experiment.noExamples);
  const { presets, isReduced } = await onDemand.presets();
  const separator = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator, beginning: undefined });
  const own = found.map(({ uri, name, description }) => ({
    label: name,
    detail: description,
    iconPath: new vscode.ThemeIcon('beaker'),
    beginning: async (): Promise<Beginning> => ({
      name,
      text: async (as) => edited(without(await readText(uri), ['$schema']), ['name'], as),
      data: vscode.Uri.joinPath(uri, '..'),
    }),
  }));
  const published = presets
    .filter((preset) => !isReduced(preset))
    .map((preset) => ({
      label: preset.title,
      detail: preset.description,
      iconPath: new vscode.ThemeIcon('book'),
      beginning: () => pickSize(preset, examples, strings),
    }));
  const chosen = await chooseOne(strings.experiment.pickExample, [...own, separator(words.group), ...published]);
  if (!chosen.beginning) throw dismissed();
  return chosen.beginning();
}

/** A published system runs here with its rules alone; as it was published it is there to be read. */
async function pickSize(preset: Preset, examples: vscode.Uri, { preset: words }: Strings): Promise<Beginning> {
  const { presetOf, presetText, reducedName } = await onDemand.presets();
  const model = preset.settings.find(({ path }) => path === 'service.baseModel')?.value;
  const chosen = await chooseOne(words.pickSize(preset.title), [
    { label: words.reduced, detail: words.reducedDetail, name: reducedName(preset) },
    { label: words.published, detail: words.publishedDetail(String(model)), name: preset.name },
  ]);
  const of = presetOf(chosen.name);
  return { name: of.name, text: async (as) => presetText(of, as), data: examples };
}

interface Example {
  readonly uri: vscode.Uri;
  readonly name: string;
  readonly description: string;
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
      return [{ uri, name: experiment.name, description: experiment.description ?? name }];
    }),
  );
  return found.flat();
}

const fileExists = async (uri: vscode.Uri): Promise<boolean> =>
  Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );

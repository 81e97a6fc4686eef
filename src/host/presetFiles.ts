import { basename } from 'node:path';
import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import { experimentSuffix } from './experimentPicker';
import { onDemand } from './onDemand';
import { type ReadOnlyContent, ReadOnlyFiles } from './readOnlyFiles';
import type { Strings } from './strings';

export const presetScheme = 'retool-preset';

/** Presets as read-only experiment files: `/<preset>/<name>.retool.json`. */
export class PresetFiles extends ReadOnlyFiles {
  protected override async content(uri: vscode.Uri): Promise<ReadOnlyContent> {
    const { presetOf, presetText } = await onDemand.presets();
    const [, preset = '', file = ''] = uri.path.split('/');
    try {
      const text = presetText(presetOf(preset), basename(file, experimentSuffix));
      return { bytes: new TextEncoder().encode(text), changed: 0 };
    } catch (error) {
      throw vscode.FileSystemError.FileNotFound(error instanceof Error ? error.message : String(error));
    }
  }
}

/**
 * Opens an experiment beside the preset that it began as.
 *
 * @throws RetoolError `config` where it names none, `usage` where there is none of that name.
 */
export async function compareWithPreset(experiment: vscode.Uri, strings: Strings): Promise<void> {
  const { presetNameIn, presetOf } = await onDemand.presets();
  const document = await vscode.workspace.openTextDocument(experiment);
  const name = basename(experiment.path);
  const preset = presetNameIn(document.getText());
  if (preset === undefined) throw new RetoolError('config', strings.preset.none(name));
  presetOf(preset);
  const published = vscode.Uri.from({ scheme: presetScheme, path: `/${preset}/${name}` });
  await vscode.commands.executeCommand('vscode.diff', published, experiment, strings.preset.comparison(preset, name));
}

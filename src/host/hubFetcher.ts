import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { Hub } from '../hub/hub';
import type { FetchProgress } from '../hub/hubWait';
import { byteUnit } from '../lib/byteUnit';
import { RetoolError } from '../lib/errors';
import { replaceText } from './editDocument';
import { experimentSuffix } from './experimentPicker';
import { pinned } from './model/editedJson';
import type { Notifier } from './notify';
import { onDemand } from './onDemand';
import { dismissed } from './quickPick';
import type { Strings } from './strings';

interface Parts {
  readonly secrets: vscode.SecretStorage;
  /** Folder of the extension, for all workspaces: the cache lies in it. */
  readonly storage: vscode.Uri;
  readonly notifier: Notifier;
  readonly strings: Strings;
}

/** Files of hubs in VS Code: from where the settings say, with progress, and never for a folder that is not trusted. */
export class HubFetcher {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** The hub of the environment, else of the settings. For a folder that is not trusted it has what is there already. */
  async hub(): Promise<Hub> {
    const { secrets, storage } = this.parts;
    const [{ Hub }, source, key] = await Promise.all([onDemand.hub(), this.source(), this.secretKey()]);
    const token = await secrets.get(key);
    return new Hub({ source, token, cache: join(storage.fsPath, 'cache'), offline: !vscode.workspace.isTrusted });
  }

  /**
   * Fetches what an experiment names of a hub, where it is missing, and offers to pin it.
   *
   * @returns the hub that has it.
   * @throws RetoolError, `cancelled` when a person ends it: what has come is kept.
   */
  async ensure(experiment: vscode.Uri): Promise<Hub> {
    const { hub: words } = this.parts.strings;
    const { unfetched, fetchExperiment } = await onDemand.hubData();
    const hub = await this.hub();
    const missing = await unfetched(experiment.fsPath, hub);
    if (missing.length === 0) return hub;
    if (!vscode.workspace.isTrusted) {
      throw new RetoolError('usage', words.untrusted(missing.join(', ')), { hint: words.untrustedHint });
    }
    const stop = new AbortController();
    const title = words.fetching(basename(experiment.path, experimentSuffix));
    const files = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, token) => {
        token.onCancellationRequested(() => stop.abort(dismissed()));
        const onFetch = (far: FetchProgress) => progress.report({ message: this.progressText(far) });
        return fetchExperiment(experiment.fsPath, { hub, signal: stop.signal, onFetch });
      },
    );
    const loose = files.filter(({ isPinned }) => !isPinned);
    if (loose.length > 0) this.offerPins(experiment, Object.fromEntries(loose.map((file) => [file.name, file.sha256])));
    return hub;
  }

  /** For example `train.parquet: 12.3 of 45.6 MB`. */
  progressText({ name, received, total, waiting }: FetchProgress): string {
    const { hub: words } = this.parts.strings;
    if (waiting) return words.waiting(waiting.host, waiting.next, waiting.tries);
    const { name: unit, bytes, digits } = byteUnit(total ?? received);
    const [far, all] = [received, total ?? 0].map((each) =>
      (each / bytes).toLocaleString(vscode.env.language, { maximumFractionDigits: digits }),
    ) as [string, string];
    const named = unit === 'bytes' ? words.bytes : unit;
    const file = basename(name);
    return total === undefined ? words.received(file, far, named) : words.receivedOf(file, far, all, named);
  }

  /** Asks for the token of the hub in use and keeps it in VS Code's secret storage; an empty one is forgotten. */
  async setToken(): Promise<void> {
    const { secrets, strings } = this.parts;
    const { sourceName } = await onDemand.hubSource();
    const host = sourceName(await this.source());
    const token = await vscode.window.showInputBox({
      title: strings.hub.askToken(host),
      prompt: strings.hub.tokenPrompt,
      password: true,
      ignoreFocusOut: true,
    });
    if (token === undefined) throw dismissed();
    const key = await this.secretKey();
    if (token.trim() === '') await secrets.delete(key);
    else await secrets.store(key, token.trim());
  }

  private offerPins(experiment: vscode.Uri, pins: Readonly<Record<string, string>>): void {
    const { notifier, strings } = this.parts;
    notifier.info(strings.hub.fetched(Object.keys(pins).length), {
      label: strings.hub.pin,
      act: () => pin(experiment, pins),
    });
  }

  private async source() {
    const { parseSource } = await onDemand.hubSource();
    const setting = vscode.workspace.getConfiguration('retool').get('hub', '');
    return parseSource(process.env.HF_ENDPOINT || setting);
  }

  /** A token is kept for the hub that it was given for. */
  private async secretKey(): Promise<string> {
    const { sourceKey } = await onDemand.hubSource();
    return `hubToken:${sourceKey(await this.source())}`;
  }
}

/** Writes the pins into the experiment and saves it. */
async function pin(experiment: vscode.Uri, pins: Readonly<Record<string, string>>): Promise<void> {
  const document = await vscode.workspace.openTextDocument(experiment);
  await replaceText(document, pinned(document.getText(), pins));
  await document.save();
}

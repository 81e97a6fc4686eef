import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Say } from '../run/dataReportText';
import type { HubAccess } from '../run/hubData';
import type { ReadingOptions } from '../run/problemSets';
import { experimentSuffix } from './experimentPicker';
import type { HubFetcher } from './hubFetcher';
import { onDemand } from './onDemand';
import { dismissed } from './quickPick';
import { type ReadOnlyContent, ReadOnlyFiles } from './readOnlyFiles';
import type { Strings } from './strings';

export const dataReportScheme = 'retool-data';

/** The sentences of the data set doctor in the reader's language. */
export const sayTranslated =
  ({ data }: Strings): Say =>
  (sentence, ...values) =>
    (data.sentences[sentence] ?? sentence).replaceAll(/\{(\d)\}/g, (_, i) => {
      const value = values[Number(i)];
      return typeof value === 'number' ? value.toLocaleString(vscode.env.language) : String(value);
    });

/** What the data set doctor says of the sets of experiments, as read-only documents. */
export class DataReports extends ReadOnlyFiles {
  private readonly contents = new Map<string, ReadOnlyContent>();
  private readonly strings: Strings;
  private readonly hubs: HubFetcher;

  constructor(strings: Strings, hubs: HubFetcher) {
    super();
    this.strings = strings;
    this.hubs = hubs;
  }

  /** Examines the sets of an experiment anew and opens the report. @throws RetoolError, `cancelled` when a person ends it. */
  async open(experiment: vscode.Uri): Promise<void> {
    const { data } = this.strings;
    const name = basename(experiment.path, experimentSuffix);
    const uri = vscode.Uri.from({ scheme: dataReportScheme, path: `${experiment.path}/${data.document(name)}` });
    const hub = await this.hubs.ensure(experiment);
    const stop = new AbortController();
    const content = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: data.checking(name), cancellable: true },
      (progress, token) => {
        token.onCancellationRequested(() => stop.abort(dismissed()));
        const onProgress = (field: string, records: number) =>
          progress.report({ message: data.progress(field, records.toLocaleString(vscode.env.language)) });
        return this.examine(uri, { signal: stop.signal, onProgress, hub });
      },
    );
    this.contents.set(uri.path, content);
    this.changed(uri);
    await vscode.window.showTextDocument(uri, { preview: false });
  }

  /** A tab that was restored asks for what this window has not examined yet. */
  protected override async content(uri: vscode.Uri): Promise<ReadOnlyContent> {
    const known = this.contents.get(uri.path);
    if (known) return known;
    try {
      const content = await this.examine(uri, { hub: await this.hubs.hub() });
      this.contents.set(uri.path, content);
      return content;
    } catch (error) {
      throw vscode.FileSystemError.FileNotFound(error instanceof Error ? error.message : String(error));
    }
  }

  private async examine(uri: vscode.Uri, options: ReadingOptions & HubAccess): Promise<ReadOnlyContent> {
    const [{ examineExperiment }, { reportLines }] = await Promise.all([
      onDemand.dataDoctor(),
      onDemand.dataReportText(),
    ]);
    const experiment = vscode.Uri.file(dirname(uri.path)).fsPath;
    const report = await examineExperiment(experiment, options);
    const lines = reportLines(report, basename(experiment), sayTranslated(this.strings));
    return { bytes: new TextEncoder().encode(`${lines.join('\n')}\n`), changed: Date.now() };
  }
}

import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { HubAccess } from '../run/hubData';
import type { ReadingOptions } from '../run/problemSets';
import { experimentSuffix } from './experimentPicker';
import type { HubFetcher } from './hubFetcher';
import { onDemand } from './onDemand';
import { dismissed } from './quickPick';
import { type ReadOnlyContent, ReadOnlyFiles } from './readOnlyFiles';
import { sayIn } from './sentences';
import type { Strings } from './strings';

/** A report on an experiment: how its tab and its progress are named, and what it says. */
interface ReportKind {
  readonly scheme: string;
  readonly document: (name: string) => string;
  readonly making: (name: string) => string;
  /** @throws RetoolError where the experiment or its files are wrong. */
  readonly lines: (experiment: string, options: ReadingOptions & HubAccess) => Promise<string[]>;
}

/** Reports on experiments, as read-only documents. */
export class ExperimentReports extends ReadOnlyFiles {
  private readonly contents = new Map<string, ReadOnlyContent>();
  private readonly kind: ReportKind;
  private readonly strings: Strings;
  private readonly hubs: HubFetcher;

  constructor(kind: ReportKind, strings: Strings, hubs: HubFetcher) {
    super();
    this.hubs = hubs;
    this.kind = kind;
    this.strings = strings;
  }

  get scheme(): string {
    return this.kind.scheme;
  }

  /** Examines an experiment anew and opens the report. @throws RetoolError, `cancelled` when a person ends it. */
  async open(experiment: vscode.Uri): Promise<void> {
    const { kind, strings } = this;
    const name = basename(experiment.path, experimentSuffix);
    const uri = vscode.Uri.from({ scheme: kind.scheme, path: `${experiment.path}/${kind.document(name)}` });
    const hub = await this.hubs.ensure(experiment);
    const stop = new AbortController();
    const content = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: kind.making(name), cancellable: true },
      (progress, token) => {
        token.onCancellationRequested(() => stop.abort(dismissed()));
        const onProgress = (field: string, records: number) =>
          progress.report({ message: strings.data.progress(field, records.toLocaleString(vscode.env.language)) });
        return this.make(uri, { signal: stop.signal, onProgress, hub });
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
      const content = await this.make(uri, { hub: await this.hubs.hub() });
      this.contents.set(uri.path, content);
      return content;
    } catch (error) {
      throw vscode.FileSystemError.FileNotFound(error instanceof Error ? error.message : String(error));
    }
  }

  private async make(uri: vscode.Uri, options: ReadingOptions & HubAccess): Promise<ReadOnlyContent> {
    const lines = await this.kind.lines(vscode.Uri.file(dirname(uri.path)).fsPath, options);
    return { bytes: new TextEncoder().encode(`${lines.join('\n')}\n`), changed: Date.now() };
  }
}

/** What the data set doctor says of the sets of experiments. */
export const createDataReports = (strings: Strings, hubs: HubFetcher): ExperimentReports =>
  new ExperimentReports(
    {
      scheme: 'retool-data',
      document: strings.data.document,
      making: strings.data.checking,
      async lines(experiment, options) {
        const [{ examineExperiment }, { reportLines }] = await Promise.all([
          onDemand.dataDoctor(),
          onDemand.dataReportText(),
        ]);
        const report = await examineExperiment(experiment, options);
        return reportLines(report, basename(experiment), sayIn(strings.data.sentences));
      },
    },
    strings,
    hubs,
  );

/** What runs of experiments will need. */
export const createPlanReports = (strings: Strings, hubs: HubFetcher): ExperimentReports =>
  new ExperimentReports(
    {
      scheme: 'retool-plan',
      document: strings.plan.document,
      making: strings.plan.making,
      async lines(experiment, options) {
        const [{ planExperiment }, { planLines }] = await Promise.all([onDemand.planner(), onDemand.planReportText()]);
        return planLines(
          await planExperiment(experiment, { ...options, purpose: 'plan' }),
          basename(experiment),
          sayIn(strings.plan.sentences),
        );
      },
    },
    strings,
    hubs,
  );

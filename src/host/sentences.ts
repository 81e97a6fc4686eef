import * as vscode from 'vscode';
import { numberText } from '../lib/texts';
import type { Say } from '../run/dataReportText';

/** Says sentences of a report in the reader's language. @param sentences translations by the sentence. */
export const sayIn =
  (sentences: Readonly<Record<string, string>>): Say =>
  (sentence, ...values) =>
    (sentences[sentence] ?? sentence).replaceAll(/\{(\d)\}/g, (_, i) => {
      const value = values[Number(i)];
      return typeof value === 'number' ? numberText(value, vscode.env.language) : String(value);
    });

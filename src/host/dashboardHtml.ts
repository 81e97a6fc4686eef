import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Strings } from './strings';

/**
 * Of the empty text. The toolkit makes one empty style element and fills it through the object model; no other inline
 * style is let through.
 */
const emptyStyle = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** The page of a dashboard: no network, no inline code or style, scripts by nonce alone. */
export function dashboardHtml(
  webview: vscode.Webview,
  extension: vscode.Uri,
  strings: Strings['dashboard'],
  folder: string,
): string {
  const nonce = randomBytes(16).toString('base64');
  const at = (...path: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...path)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} ${emptyStyle}`,
    `font-src ${webview.cspSource}`,
  ].join('; ');
  return `<!doctype html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${at('media', 'dashboard.css')}">
<title>ReTool</title>
</head>
<body>
<div id="app" data-testid="dashboard"></div>
<script type="application/json" id="strings">${inert(strings)}</script>
<script type="application/json" id="panel">${inert({ folder })}</script>
<script type="application/json" id="chart-data">[]</script>
<script nonce="${nonce}" src="${at('dist', 'webview', 'dashboard.js')}"></script>
</body>
</html>`;
}

/** JSON that cannot end the element it stands in. */
const inert = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

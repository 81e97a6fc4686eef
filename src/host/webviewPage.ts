import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * Of the empty text. The toolkit makes one empty style element and fills it through the object model; no other inline
 * style is let through.
 */
const emptyStyle = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

interface Page {
  /** Begins the names of its tab's icons, `<icon>.<theme>.svg` of `media/`. */
  readonly icon: string;
  /** Of the script in `dist/webview/`, and of the element that tests find it by. */
  readonly name: string;
  /** Files of `media/`. */
  readonly styles: readonly string[];
  /** Handed to the script as JSON, by the id of its element. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Makes a panel one of ours: its icon, what it may load, and its page. */
export function furnish(panel: vscode.WebviewPanel, extension: vscode.Uri, page: Page): void {
  const icon = (theme: string) => vscode.Uri.joinPath(extension, 'media', `${page.icon}.${theme}.svg`);
  panel.iconPath = { light: icon('light'), dark: icon('dark') };
  panel.webview.options = {
    enableScripts: true,
    localResourceRoots: ['dist', 'media'].map((path) => vscode.Uri.joinPath(extension, path)),
  };
  panel.webview.html = webviewHtml(panel.webview, extension, page);
}

/** A page of ours: no network, no inline code or style, scripts by nonce alone. */
function webviewHtml(webview: vscode.Webview, extension: vscode.Uri, { name, styles, data }: Page): string {
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
${styles.map((style) => `<link rel="stylesheet" href="${at('media', style)}">`).join('\n')}
<title>ReTool</title>
</head>
<body>
<div id="app" data-testid="${name}"></div>
${Object.entries(data)
  .map(([id, value]) => `<script type="application/json" id="${id}">${inert(value)}</script>`)
  .join('\n')}
<script nonce="${nonce}" src="${at('dist', 'webview', `${name}.js`)}"></script>
</body>
</html>`;
}

/** JSON that cannot end the element it stands in. */
const inert = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

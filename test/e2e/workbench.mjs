import { mkdir } from 'node:fs/promises';
import { resultsFolder } from '../support/tally.mjs';
import { installExtension, launchBrowser, makeProfile, startServer, workbenchUrl } from '../support/vscodeHost.mjs';

/** Themes by the label of VS Code's theme picker, their id and the class that the workbench wears. */
export const themes = {
  dark: { label: 'Dark Modern', id: 'Dark Modern', className: 'vs-dark' },
  light: { label: 'Light Modern', id: 'Light Modern', className: 'vs' },
  highContrast: { label: 'Dark High Contrast', id: 'Default High Contrast', className: 'hc-black' },
  highContrastLight: { label: 'Light High Contrast', id: 'Default High Contrast Light', className: 'hc-light' },
};

export const viewports = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 700, height: 900 },
  /** An editor of 1,400 and one of 420 pixels, beside the activity bar. */
  full: { width: 1448, height: 1000 },
  slim: { width: 468, height: 1500 },
};

/** What a page may ask for: this machine, and webview resources, which a service worker answers without the net. */
const isLocal = ({ protocol, hostname }) =>
  !/^(https?|wss?):$/.test(protocol) ||
  /^(127\.0\.0\.1|localhost)$/.test(hostname) ||
  hostname.endsWith('.vscode-resource.vscode-cdn.net');

/**
 * Opens a real VS Code with the packed extension in a fresh profile.
 * @param options `prepare(folder)` fills the workspace before it is opened; `settings` are user settings; `launcher` is
 *   a command that starts the server.
 */
export async function openWorkbench({ prepare = async () => {}, settings = {}, theme = themes.dark, launcher } = {}) {
  const profile = await makeProfile({ 'workbench.colorTheme': theme.id, ...settings });
  let server;
  let browser;
  try {
    await prepare(profile.workspace);
    await installExtension(profile, process.env.RETOOL_VSIX);
    server = await startServer(profile, { launcher });
    browser = await launchBrowser();
    const page = await browser.newPage({ viewport: viewports.wide });
    const workbench = new Workbench({ profile, server, browser, page });
    await workbench.goto();
    return workbench;
  } catch (error) {
    await browser?.close();
    await server?.stop();
    await profile.remove();
    throw error;
  }
}

const open = new Set();

/** Pictures every open workbench, for a test that failed. */
export const screenshotAll = (name) =>
  Promise.all([...open].map((workbench, index) => workbench.screenshot(`failed-${name}-${index}`).catch(() => {})));

class Workbench {
  /** Addresses outside this machine that a page asked for. */
  outside = [];
  /** Errors that nobody caught, in the workbench or in a webview. */
  pageErrors = [];
  /** What a content security policy refused. */
  refusals = [];

  constructor({ profile, server, browser, page }) {
    this.profile = profile;
    this.server = server;
    this.browser = browser;
    this.page = page;
    open.add(this);
    this.workspace = profile.workspace;
    page.setDefaultTimeout(60_000);
    page.on('request', (request) => {
      if (!isLocal(new URL(request.url()))) this.outside.push(request.url());
    });
    page.on('pageerror', (error) => this.pageErrors.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) this.refusals.push(message.text());
    });
  }

  async goto() {
    // A workbench that registers its service worker may abort its own first load.
    await this.page
      .goto(workbenchUrl(this.server, this.workspace))
      .catch(() => this.page.goto(workbenchUrl(this.server, this.workspace)));
    await this.ready();
  }

  /** Reloads the window, as a person does. */
  async reload() {
    await this.page.reload();
    await this.ready();
  }

  async ready() {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
    await this.container().waitFor();
  }

  /** The extension's icon in the activity bar; it shows that the extension has been read. */
  container() {
    return this.page.locator('.activitybar .action-item', { has: this.page.locator('a[aria-label^="ReTool"]') });
  }

  /** Runs a command by its whole title from the palette. */
  async palette(title) {
    const input = this.page.locator('.quick-input-widget input.input');
    // A key that comes while the window is laid out anew, or the last palette closes, is lost.
    for (let left = 5; ; left--) {
      await this.page.keyboard.press('F1');
      try {
        await input.fill(`>${title}`, { timeout: 5000 });
        break;
      } catch (error) {
        if (left === 0) throw error;
      }
    }
    await this.pick(title);
  }

  /** A row of the quick pick, by its whole label. */
  quickPickRow(label) {
    const whole = this.page.locator('.label-name').getByText(label, { exact: true });
    return this.page.locator('.quick-input-list .monaco-list-row').filter({ has: whole }).first();
  }

  /** Chooses a row of the quick pick that is open or about to be. */
  async pick(label) {
    await this.quickPickRow(label).click();
  }

  /** Chooses the first row of the quick pick, once its label begins with `prefix`. */
  async pickFirst(prefix) {
    const row = this.page.locator('.quick-input-list .monaco-list-row').first();
    await row
      .locator('.label-name', { hasText: new RegExp(`^${prefix}`) })
      .first()
      .waitFor();
    await row.click();
  }

  /** A row of the runs view, by the text it shows or says. */
  treeRow(text) {
    return this.page.locator('.sidebar .monaco-list-row', { hasText: text }).first();
  }

  /** Opens the runs view where it is not open. */
  async openRuns() {
    const shown = this.page.locator('.sidebar .composite.title', { hasText: 'ReTool' });
    // A reloaded window may be about to open the view by itself; a click on its icon would then close it.
    for (let left = 5; !(await shown.isVisible()); left--) {
      await this.container().click();
      await shown.waitFor({ timeout: left > 0 ? 5000 : 60_000 }).catch((error) => {
        if (left === 0) throw error;
      });
      await this.page.waitForTimeout(500);
    }
  }

  /** Opens the runs view where it is not open, and waits for a row. @returns the row. */
  async waitForTree(text) {
    const row = this.treeRow(text);
    for (let left = 3; ; left--) {
      await this.openRuns();
      try {
        await row.waitFor({ timeout: 20_000 });
        return row;
      } catch (error) {
        if (left === 0) throw error;
      }
    }
  }

  /** Opens or closes a row of a tree by its twistie. */
  async toggle(text) {
    await (await this.waitForTree(text)).locator('.monaco-tl-twistie').click();
  }

  /** The frame of the webview that shows `selector`. */
  async webviewFrame(selector, timeout = 60_000) {
    const end = performance.now() + timeout;
    while (performance.now() < end) {
      for (const frame of this.page.frames()) {
        if (frame === this.page.mainFrame()) continue;
        const shown = await frame
          .locator(selector)
          .first()
          .isVisible()
          .catch(() => false);
        if (shown) return frame;
      }
      await this.page.waitForTimeout(50);
    }
    throw new Error(`no webview shows ${selector}`);
  }

  editorTab(text) {
    return this.page.locator('.tabs-container .tab', { hasText: text }).first();
  }

  notification(text) {
    return this.page.locator('.notifications-toasts .notification-list-item', { hasText: text }).first();
  }

  /** Chooses a theme as a person does. @param theme one of `themes`. */
  async setTheme({ label, className }) {
    await this.palette('Preferences: Color Theme');
    await this.page.locator('.quick-input-widget input[placeholder*="Theme"]').fill(label);
    await this.quickPickRow(label).click();
    await this.page.locator(`.monaco-workbench.${className}`).waitFor();
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** @param size one of `viewports`. */
  async setViewport(size) {
    await this.page.setViewportSize(size);
  }

  /** Saves a picture as `test-results/<name>.png`. */
  async screenshot(name) {
    await mkdir(resultsFolder, { recursive: true });
    await this.page.screenshot({ path: `${resultsFolder}/${name}.png` });
  }

  /** Pictures of what is shown, in every theme and in a narrow window. @param ready waits until it is drawn. */
  async picturesOf(name, ready = async () => {}) {
    for (const [theme, look] of Object.entries(themes)) {
      await this.setTheme(look);
      await ready();
      await this.screenshot(`${name}-${theme}`);
    }
    await this.setTheme(themes.dark);
    await this.setViewport(viewports.narrow);
    await this.screenshot(`${name}-narrow`);
    await this.setViewport(viewports.wide);
  }

  async close() {
    open.delete(this);
    await this.browser.close();
    await this.server.stop();
    await this.profile.remove();
  }
}

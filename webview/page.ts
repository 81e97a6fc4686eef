interface VsCode<Message, State> {
  postMessage(message: Message): void;
  getState(): Partial<State> | undefined;
  setState(state: State): void;
}
declare function acquireVsCodeApi(): VsCode<unknown, unknown>;

// A page may ask for it once only.
const host = acquireVsCodeApi();

/** The extension host, as this page sees it. */
export const hostOf = <Message, State>() => host as VsCode<Message, State>;

/** What the host wrote into the page under a name. */
export const json = (id: string): unknown => JSON.parse(document.getElementById(id)?.textContent ?? '{}');

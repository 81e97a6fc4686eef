type Child = Node | string;

interface Attributes {
  readonly class?: string | undefined;
  readonly testid?: string | undefined;
  readonly [name: string]: string | boolean | undefined;
}

/** Makes an element. `true` sets an empty attribute; `false` and undefined set none. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes,
  ...children: readonly Child[]
): HTMLElementTagNameMap[K];
export function h(tag: string, attributes: Attributes, ...children: readonly Child[]): HTMLElement;
export function h(tag: string, attributes: Attributes, ...children: readonly Child[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name === 'testid' ? 'data-testid' : name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

/** Sets the text only when it differs, so that a reader and a selection are left alone. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function on<K extends keyof HTMLElementEventMap>(
  element: HTMLElement,
  type: K,
  listener: (event: HTMLElementEventMap[K]) => void,
): void {
  element.addEventListener(type, listener);
}

/** A button that does something. */
export function button(text: string, act: () => void, testid?: string): HTMLButtonElement {
  const element = h('button', { type: 'button', class: 'segment', testid }, text);
  on(element, 'click', act);
  return element;
}

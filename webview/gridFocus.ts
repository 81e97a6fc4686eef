import { on } from './dom';

interface Events {
  /** Enter, or a click. */
  open(cell: HTMLElement): void;
  /** Space. */
  toggle?(cell: HTMLElement): void;
}

/**
 * Makes a table a grid with one stop of the Tab key: arrow keys, Home and End move between cells, with Ctrl to the first
 * and the last row. What is drawn anew keeps the place.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/grid/
 */
export class GridFocus {
  private readonly table: HTMLTableElement;
  private place = { row: 0, column: 0 };

  constructor(table: HTMLTableElement, { open, toggle }: Events) {
    this.table = table;
    table.setAttribute('role', 'grid');
    on(table, 'keydown', (event) => {
      const cell = this.cellOf(event.target);
      if (!cell) return;
      if (event.key === 'Enter') open(cell);
      else if (event.key === ' ' && toggle) toggle(cell);
      else if (!this.move(event)) return;
      event.preventDefault();
    });
    on(table, 'focusin', ({ target }) => {
      const cell = this.cellOf(target);
      if (cell) this.enter(cell);
    });
  }

  /** Draws the rows. Cells that can be reached are `[data-cell]`. */
  replace(...parts: readonly HTMLElement[]): void {
    const focused = this.table.contains(document.activeElement);
    this.table.replaceChildren(...parts);
    const rows = this.rows();
    const row = rows[Math.min(this.place.row, rows.length - 1)];
    const cell = row?.[Math.min(this.place.column, row.length - 1)];
    cell?.setAttribute('tabindex', '0');
    if (focused) cell?.focus();
  }

  private cellOf(target: EventTarget | null): HTMLElement | undefined {
    return (target as HTMLElement | null)?.closest<HTMLElement>('[data-cell]') ?? undefined;
  }

  private rows(): HTMLElement[][] {
    return [...this.table.rows]
      .map((row) => [...row.querySelectorAll<HTMLElement>('[data-cell]')].filter((cell) => cell.offsetParent !== null))
      .filter((cells) => cells.length > 0);
  }

  private enter(cell: HTMLElement): void {
    for (const other of this.table.querySelectorAll('[data-cell][tabindex="0"]')) other.setAttribute('tabindex', '-1');
    cell.setAttribute('tabindex', '0');
    const rows = this.rows();
    const row = rows.findIndex((cells) => cells.includes(cell));
    if (row >= 0) this.place = { row, column: rows[row]!.indexOf(cell) };
  }

  private move({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
    const rows = this.rows();
    const { row, column } = this.place;
    const far = ctrlKey || metaKey;
    const last = (rows[row]?.length ?? 1) - 1;
    const to = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [far ? 0 : row, 0],
      End: [far ? rows.length - 1 : row, last],
    }[key];
    if (!to) return false;
    rows[to[0]!]?.[to[1]!]?.focus();
    return true;
  }
}

/** How a node looks: names of codicons and colours, no VS Code. */
export interface TreeRow {
  readonly label: string;
  readonly description?: string;
  /** What a screen reader says instead of label and description, where they are partly drawn. */
  readonly spoken?: string;
  readonly tooltip?: string;
  readonly icon?: string;
  readonly color?: string;
  /** Undefined: a leaf. */
  readonly expanded?: boolean;
  /** For `when` clauses of menus. */
  readonly context: string;
}

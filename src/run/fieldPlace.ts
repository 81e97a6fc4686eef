import { findNodeAtLocation, type JSONPath, type Node, parseTree } from 'jsonc-parser';

/** Characters from the start of a file. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** Where the value of a field stands, or the innermost object that would hold it. */
export function placeOf(root: Node, path: JSONPath): Place {
  for (let end = path.length; end >= 0; end--) {
    const node = findNodeAtLocation(root, path.slice(0, end));
    if (node) return { offset: node.offset, length: node.length };
  }
  return { offset: 0, length: 1 };
}

/** The same in the text of an experiment. */
export function placeIn(text: string, path: JSONPath): Place {
  const root = parseTree(text);
  return root ? placeOf(root, path) : { offset: 0, length: 1 };
}

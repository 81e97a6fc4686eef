/** Marks around what an interpreter said or what is code: neither is the model's answer. */
const marked: readonly (readonly [open: string, close: string])[] = [
  ['<interpreter>', '</interpreter>'],
  ['<tool_response>', '</tool_response>'],
  ['<tool_call>', '</tool_call>'],
  ['<code>', '</code>'],
  ['<output>', '</output>'],
  ['<result>', '</result>'],
  ['<python>', '</python>'],
];

/** Fences around mathematics do not hide it. */
const transparent = /^```[ \t]*(?:latex|tex|math|markdown|md)[ \t]*\n/;

/** A fence with a language behind it, on a line of its own. */
const program = /^```[ \t]*[a-zA-Z]\w*[ \t]*\n/;

/** A text without a thought that does not end. */
export function finishedText(text: string): string {
  const open = text.lastIndexOf('<think>');
  return open >= 0 && text.indexOf('</think>', open) < 0 ? text.slice(0, open) : text;
}

/**
 * A text without what is not the model's own words: tool output and code between their marks, and a thought that does not
 * end. Tool output and a program in a fenced block that nothing closes go to the end of the text; any other such mark
 * may be one that is only spoken of, and hides nothing.
 */
export function modelText(text: string): string {
  let result = finishedText(text);
  for (const [start, end] of marked) result = without(result, start, end);
  return result.includes('```') ? withoutFences(result) : result;
}

function without(text: string, start: string, end: string): string {
  let at = text.indexOf(start);
  if (at < 0) return text;
  const kept: string[] = [];
  let from = 0;
  while (at >= 0) {
    kept.push(text.slice(from, at));
    const close = text.indexOf(end, at + start.length);
    if (close < 0) return start === '<code>' ? [...kept, text.slice(at)].join(' ') : kept.join(' ');
    from = close + end.length;
    at = text.indexOf(start, from);
  }
  kept.push(text.slice(from));
  return kept.join(' ');
}

function withoutFences(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = text.indexOf('```'); at >= 0; at = text.indexOf('```', from)) {
    const close = text.indexOf('```', at + 3);
    kept.push(text.slice(from, at));
    const body = text.slice(at, close < 0 ? text.length : close);
    const cutOff = close < 0 && (at === 0 || text[at - 1] === '\n') && program.test(body);
    if (transparent.test(body) || (close < 0 && !cutOff)) kept.push(body);
    if (close < 0) return kept.join(' ');
    from = close + 3;
  }
  kept.push(text.slice(from));
  return kept.join(' ');
}

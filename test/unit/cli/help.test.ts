import { expect, it } from 'vitest';
import { commandHelp, helpOf } from '../../../src/cli/help';

it.each(Object.keys(commandHelp))('the help of %s has a row for every option that it takes', (name) => {
  const { usage, ...help } = commandHelp[name as keyof typeof commandHelp];
  const rows = Object.keys('options' in help ? help.options : {}).map((row) => row.split(' ')[0]);
  const asked = [...new Set(usage.match(/--[a-z-]+/g))].filter((option) => option !== '--json');
  expect(rows.toSorted()).toEqual(asked.toSorted());
  expect(helpOf(name.split(' ')[0]!)).toContain(usage);
});

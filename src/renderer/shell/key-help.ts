import { messages } from './messages/keys.ts';

interface KeyHelp {
  readonly keys: string;
  readonly does: string;
}

interface KeyGroup {
  readonly title: string;
  readonly keys: readonly KeyHelp[];
}

const { help, groups } = messages;
const key = (keys: string, does: string): KeyHelp => ({ keys, does });

/** All keys, by where they work. */
const keyGroups: readonly KeyGroup[] = [
  {
    title: groups.everywhere,
    keys: [
      key('Ctrl K', help.find),
      key('>', help.commands),
      key('1 … 9 0', help.views),
      key('C', help.causes),
      key('R', help.rows),
      key('T', help.times),
      key('U', help.differences),
      key('Q', help.whatIf),
      key('M', help.note),
      key('Ctrl Z', help.undo),
      key('Alt ← →', help.history),
      key('Alt N', help.window),
      key('Esc', help.escape),
      key('?', help.keys),
    ],
  },
  {
    title: groups.time,
    keys: [
      key('W S', help.zoom),
      key('A D', help.pan),
      key('F', help.fit),
      key('I', help.incident),
      key('[ ]', help.steps),
      key('← →', help.playhead),
      key('B', help.brush),
      key('Space', help.live),
    ],
  },
  {
    title: groups.lanes,
    keys: [
      key('/', help.search),
      key('↑ ↓', help.lanes),
      key('N P', help.marks),
      key('H O - = G', help.lane),
      key('Alt ← → Enter', help.clock),
    ],
  },
  {
    title: groups.item,
    keys: [
      key('Enter', help.open),
      key('.', help.actions),
      key('E Z', help.focus),
      key('J K Y', help.copy),
      key('X L', help.ignore),
      key('V', help.compare),
    ],
  },
  {
    title: groups.traces,
    keys: [key('O', help.trace), key('Enter Z A', help.frame), key('U', help.differencesOf)],
  },
];

/** The groups with only the keys whose text has every word of the search. */
export function keysLike(search: string): KeyGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return keyGroups.flatMap(({ title, keys }) => {
    const found = keys.filter((one) => {
      const text = `${title} ${one.keys} ${one.does}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return found.length === 0 ? [] : [{ title, keys: found }];
  });
}

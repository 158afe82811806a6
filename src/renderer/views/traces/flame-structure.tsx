import { useMemo } from 'react';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatNumber } from '../../draw/text/format-value.ts';
import { type FlameNode, flameSearch } from '../../draw/traces/flame-tree.ts';
import { type StructureRow, type StructureSide, structureOfFlame } from '../../draw/traces/span-structure.ts';
import { searchTraces } from '../../state/traces.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { messages } from './messages.ts';
import { structureMessages } from './structure-messages.ts';
import { MOST_PATHS, StructureTree } from './structure-tree.tsx';

const texts = structureMessages;

/** How the traces of the incident differ from those before, path by path. */
export function FlameStructure({ roots }: { readonly roots: readonly FlameNode[] }) {
  const structure = useMemo(() => structureOfFlame(roots, MOST_PATHS), [roots]);
  const open = ({ key }: StructureRow) => {
    const node = nodeOf(roots, key);
    if (node) searchTraces(flameSearch(node, 'time'));
  };
  return (
    <StructureTree
      structure={structure}
      sides={[texts.before, texts.during]}
      onOpen={open}
      table={
        <DataTable<StructureRow>
          label={texts.groups}
          columns={columns}
          rows={structure.rows}
          keyOf={({ key }) => key}
          onSelect={open}
          empty={messages.flame.none}
        />
      }
    />
  );
}

function nodeOf(roots: readonly FlameNode[], key: string): FlameNode | undefined {
  const open = [...roots];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.key === key) return node;
    open.push(...node.children);
  }
  return undefined;
}

const time = (side: StructureSide | null): number => side?.time_ns ?? 0;
const spans = (side: StructureSide | null): number => side?.spans ?? 0;
const figure = (
  id: 'before' | 'after',
  what: 'time' | 'spans',
  of: (side: StructureSide | null) => number,
): Column<StructureRow> => ({
  id: `${id}-${what}`,
  title: `${id === 'before' ? texts.before : texts.during}, ${what === 'time' ? messages.time : messages.spans}`,
  numeric: true,
  width: '120px',
  cell: (row) =>
    row[id] ? (what === 'time' ? formatDuration(of(row[id])) : formatNumber(Number(of(row[id]).toPrecision(3)))) : '',
  sort: (row) => of(row[id]),
});

const columns: readonly Column<StructureRow>[] = [
  {
    id: 'call',
    title: texts.call,
    width: 'minmax(260px, 1fr)',
    cell: ({ depth, name, service }) => (
      <span style={{ paddingLeft: Math.min(depth, 16) * 12 }}>
        {name ?? texts.unnamed} <span className="muted">{service ?? texts.unknownService}</span>
      </span>
    ),
    sort: ({ service, name }) => `${service} ${name}`,
  },
  {
    id: 'change',
    title: texts.change,
    width: '100px',
    cell: ({ change }) => (change ? texts.changes[change] : ''),
    sort: ({ change }) => change ?? '',
  },
  figure('before', 'time', time),
  figure('after', 'time', time),
  figure('before', 'spans', spans),
  figure('after', 'spans', spans),
];

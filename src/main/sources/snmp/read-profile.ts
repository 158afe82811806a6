import { issueText, readYaml } from '../../../base/yaml-issues.ts';
import type { EntityKind } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';
import { isFixed, meaningOf } from './column-meaning.ts';
import type { Meaning } from './meaning.ts';
import { type ColumnForm, type ProfileForm, profileSchema, type TableForm } from './profile.ts';
import { Row } from './row.ts';
import { SnmpWalk } from './walk.ts';

/** A vendor's MIB, ready to read walks. */
export interface Profile {
  readonly vendor: string;
  readonly mib: string;
  readonly kind: EntityKind;
  readonly objectIds: readonly string[];
  readonly identity: Readonly<Record<'model' | 'serial' | 'name', readonly string[]>>;
  readonly tables: readonly Table[];
  /** Where its tables are, by the first seven arcs: `1.3.6.1.4.1.318`, `1.3.6.1.2.1.33`. */
  readonly branches: readonly string[];
}
export interface Table extends Omit<TableForm, 'columns' | 'mib'> {
  readonly mib: string;
  /** Relative OIDs are below it. */
  readonly base: string;
  readonly columns: Readonly<Record<string, Column>>;
}
export interface Column {
  readonly object: string;
  readonly of: (row: Row) => Meaning;
}

/** @throws ProblemError snmp.profile_invalid with the line and field of the first error */
export function parseProfile(name: string, yaml: string): ProfileForm {
  const read = readYaml(yaml, profileSchema);
  if ('data' in read) return read.data;
  const [issue] = read.issues;
  return fail('snmp.profile_invalid', `${name}: ${issue ? issueText(issue) : 'not a profile'}`);
}

/** @param tables those of the form, or of the profile that it names */
export function profileOf(form: ProfileForm, tables: readonly TableForm[]): Profile {
  const { identity, kind, mib, object_ids, vendor } = form;
  const bases = form.base.flatMap(repeated);
  const full = (oids: readonly string[] = []): string[] =>
    oids.flatMap((oid) => (oid.startsWith('.') ? bases.map((base) => base + oid) : [oid]));
  const ready = tables.map((table) => ({ ...table, mib: table.mib ?? mib, columns: columnsOf(table) }));
  const placed = bases.flatMap((base, at) =>
    // Tables with a full OID are not repeated.
    ready.flatMap((table): Table[] => {
      if (!table.at.startsWith('.')) return at === 0 ? [{ ...table, base }] : [];
      return [{ ...table, base, at: table.at === '.' ? base : base + table.at }];
    }),
  );
  return {
    vendor,
    mib,
    kind,
    objectIds: object_ids,
    identity: { model: full(identity.model), serial: full(identity.serial), name: full(identity.name) },
    tables: placed,
    branches: [...new Set(placed.map(({ at }) => at.split('.').slice(0, 7).join('.')))],
  };
}

/** `1.3.{1..3}.1` is three OIDs. */
function repeated(base: string): readonly string[] {
  const [, before = '', first, last, after = ''] = /^(.*)\{(\d+)\.\.(\d+)\}(.*)$/.exec(base) ?? [];
  if (first === undefined) return [base];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${before}${Number(first) + at}${after}`);
}

const nowhere = new Row(new SnmpWalk(new Map()), { at: '', base: '' }, '');

function columnsOf({ columns = {} }: TableForm): Table['columns'] {
  const ready = (column: ColumnForm): Column => {
    const fixed = isFixed(column) ? meaningOf(nowhere, column) : undefined;
    return { object: column.object, of: (row) => fixed ?? meaningOf(row, column) };
  };
  return Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, ready(column)]));
}

import type { FoundItem, ImportChoice } from '../../../model/contract/index.ts';
import { isZone } from '../../../model/local-time.ts';
import { fail } from '../../../model/problem.ts';
import type { ColumnMapping, DateOrder, FoundSource, Inspection } from '../../../model/storage/source.ts';
import type { ImportSource } from './import.ts';

const SHOWN_PATHS = 8;
/** Each may hold an unpacked archive; the oldest is dropped. */
const MAX_OPEN = 8;

/** Inspected files that wait for the decision of the investigator. */
export class Inspections {
  private readonly open = new Map<string, Inspection>();
  private next = 1;

  async add(inspection: Inspection): Promise<string> {
    const id = String(this.next++);
    this.open.set(id, inspection);
    for (const oldest of [...this.open.keys()].slice(0, -MAX_OPEN)) await this.discard(oldest);
    return id;
  }

  get(id: string): Inspection {
    return (
      this.open.get(id) ??
      fail('import.unknown_inspection', 'these files must be inspected again', { hint: 'drop them once more' })
    );
  }

  /** Hands an inspection over to its importer, which closes it. */
  take(id: string): Inspection {
    const inspection = this.get(id);
    this.open.delete(id);
    return inspection;
  }

  async discard(id: string): Promise<void> {
    const inspection = this.open.get(id);
    this.open.delete(id);
    await inspection?.close();
  }

  async close(): Promise<void> {
    for (const id of [...this.open.keys()]) await this.discard(id);
  }
}

const bytesOf = (source: FoundSource): number => source.files.reduce((sum, file) => sum + file.bytes, 0);

/** A found data source for a window: without its location, and with few paths. */
export function describe(source: FoundSource, item: number): FoundItem {
  const [first] = source.files;
  return {
    item,
    name: source.name,
    format: source.format,
    files: source.files.length,
    bytes: bytesOf(source),
    paths: source.files.slice(0, SHOWN_PATHS).map(({ path }) => path),
    captured_ns: first?.captured_ns ?? null,
    captured_from: first?.captured_from ?? '',
    ...(source.left_open && {
      left_open: {
        ...source.left_open,
        missing: [...source.left_open.missing],
        readings: [...source.left_open.readings],
      },
    }),
    ...(source.problem ? { problem: source.problem } : {}),
  };
}

export interface GeneralChoices {
  readonly format: string | null;
  readonly zone: string | null;
  readonly device: string | null;
  readonly mapping: ColumnMapping | null;
  readonly date_order?: DateOrder | null;
  readonly year?: number | null;
  readonly clocks: Readonly<Record<string, { readonly offset_s: number; readonly uncertainty_s: number }>>;
}

/** More than 64-bit nanoseconds can count; a clock since boot is off by about 1.7e9. */
const MAX_CLOCK_S = 9e9;

function toNanos(seconds: number): bigint {
  if (Math.abs(seconds) <= MAX_CLOCK_S) return BigInt(Math.round(seconds * 1e9));
  return fail('clock.out_of_range', `a clock offset of ${seconds} seconds is not possible`, {
    hint: 'give the offset in seconds',
  });
}

/**
 * Found data sources with the options for all and for each.
 * @throws ProblemError zone.unknown, clock.out_of_range
 */
export function ordered(
  found: readonly FoundSource[],
  choices: readonly ImportChoice[],
  general: GeneralChoices,
): ImportSource[] {
  const choiceByItem = new Map(choices.map((choice) => [choice.item, choice]));
  return found.flatMap((source, item): ImportSource[] => {
    const choice = choiceByItem.get(item);
    if (choice?.skip) return [];
    const format = choice?.format ?? general.format ?? source.format;
    const baseName = source.name.split('/').at(-1)!;
    const clock = Object.hasOwn(general.clocks, source.name)
      ? general.clocks[source.name]
      : Object.hasOwn(general.clocks, baseName)
        ? general.clocks[baseName]
        : undefined;
    const captured = choice?.captured_ns ?? null;
    // A manual format is used for unrecognised files; unreadable files stay unreadable.
    const { problem } = source;
    const isProblem = problem !== undefined && (format === null || problem.code !== 'file.unknown_format');
    return [
      {
        name: source.name,
        bytes: bytesOf(source),
        format: isProblem ? null : format,
        files:
          captured === null
            ? source.files
            : source.files.map((file) => ({ ...file, captured_ns: captured, captured_from: 'given' })),
        assume: {
          zone: checkedZone(choice?.zone ?? general.zone),
          device: choice?.device ?? general.device,
          mapping: choice?.mapping ?? general.mapping,
          date_order: choice?.date_order ?? general.date_order,
          year: choice?.year ?? general.year,
        },
        clock_offset_ns: toNanos(choice?.offset_s || (clock?.offset_s ?? 0)),
        clock_uncertainty_ns: toNanos(choice?.uncertainty_s || (clock?.uncertainty_s ?? 0)),
        named: source.named,
        problem: isProblem ? problem : undefined,
      },
    ];
  });
}

function checkedZone(zone: string | null): string | null {
  if (zone === null || zone === '') return null;
  if (isZone(zone)) return zone;
  return fail('zone.unknown', `unknown time zone "${zone}"`, {
    hint: 'use UTC, +02:00 or a name such as Europe/Berlin',
  });
}

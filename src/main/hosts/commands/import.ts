import { columnMappingSchema, type FoundItem, type ImportEvent } from '../../../model/contract/index.ts';
import { fail, type Problem, ProblemError } from '../../../model/problem.ts';
import { countRows } from '../../../model/rows/row-nouns.ts';
import { type ColumnMapping, type DateOrder, dateOrders, type TimeUnit } from '../../../model/storage/source.ts';
import { FIRST_YEAR, formatUtc, LAST_YEAR, nanos } from '../../../model/time.ts';
import { confirmRejects } from '../confirm-rejects.ts';
import { namedTexts } from '../named-texts.ts';
import { sizeText } from '../size-text.ts';
import {
  type Command,
  type Core,
  type Invocation,
  positional,
  shown,
  type Terminal,
  text,
  toJson,
  UsageError,
  withCore,
} from './command.ts';
import { messages as common } from './messages/common.ts';
import { messages } from './messages/import.ts';

export const importCommand: Command = {
  name: 'import',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    as: { type: 'string' },
    zone: { type: 'string' },
    'date-order': { type: 'string' },
    year: { type: 'string' },
    device: { type: 'string' },
    clock: { type: 'string', multiple: true },
    map: { type: 'string' },
    keep: { type: 'boolean' },
    force: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: (invocation) => {
    const path = positional(invocation, 0, 'CASE');
    const files = invocation.positionals.slice(1);
    if (files.length === 0) throw new UsageError(common.missing('FILE'));
    const clocks = parseClocks(invocation);
    return withCore(invocation, undefined, async (core) => {
      if (invocation.values['dry-run']) return showFound(core, files, invocation);
      await core.placeCase(path);
      const options = {
        format: text(invocation, 'as'),
        zone: text(invocation, 'zone'),
        device: text(invocation, 'device'),
        date_order: parseOrder(text(invocation, 'date-order')),
        year: parseYear(text(invocation, 'year')),
        mapping: parseMapping(text(invocation, 'map')),
        keep: invocation.values.keep === true,
        force: invocation.values.force === true,
        clocks,
      };
      const events = await importAll(core, files, options, invocation);
      const first = events.find((event) => event.kind === 'problem');
      if (first) throw new ProblemError(withHint(first.problem as Problem));
    });
  },
};

/** Prints the outcome of each file. @throws ProblemError import.cancelled when only some of the files are in the case */
async function importAll(
  core: Core,
  files: readonly string[],
  options: ImportOptions,
  { terminal, values: { json } }: Invocation,
): Promise<ImportEvent[]> {
  terminal.outlastOutput();
  const known: ImportEvent[] = [];
  let imported = 0;
  const printEvent = (event: ImportEvent) => {
    known.push(event);
    const line = json ? '' : importOutcome(event);
    if (line !== '') terminal.out(`${line}\n`);
    if (event.kind !== 'source') return;
    imported++;
    // An imported file is analysed to the end, however long that takes.
    terminal.waitForEnd();
  };
  const showAll = () =>
    json && terminal.out(toJson(known.filter(({ kind }) => kind !== 'progress' && kind !== 'question')));
  try {
    const events = await importInto(core, files, options, terminal, printEvent);
    showAll();
    return events;
  } catch (error) {
    if (!terminal.signal.aborted || imported === 0) throw error;
    showAll();
    return fail('import.cancelled', messages.cancelled(imported));
  }
}

export interface ImportOptions {
  readonly format: string | null;
  readonly zone?: string | null;
  readonly device?: string | null;
  readonly mapping?: ColumnMapping | null;
  readonly date_order?: DateOrder | null;
  readonly year?: number | null;
  readonly keep?: boolean;
  readonly force?: boolean;
  readonly clocks: Clocks;
}

/** Prints the format of each file and imports nothing. */
async function showFound(core: Core, files: readonly string[], { terminal, values }: Invocation): Promise<void> {
  const handles = await Promise.all(files.map((file) => core.register(file)));
  for await (const event of core.api['import.inspect']({ handles }, { signal: terminal.signal })) {
    if (event.kind === 'progress') continue;
    if (values.json) terminal.out(toJson(event.sources));
    else for (const source of event.sources) terminal.out(`${foundLine(source)}\n`);
  }
}

function foundLine(found: FoundItem): string {
  const { name, format, files, bytes, problem, captured_ns, captured_from, left_open } = found;
  if (format === null) return messages.found.unknown(shown(name), shown(problem?.message ?? messages.found.noFormat));
  const captured = captured_ns === null ? '' : messages.found.captured(captured_from, formatUtc(nanos(captured_ns)));
  const several = files === 1 ? '' : messages.found.files(files);
  const readings = left_open && left_open.readings.length > 1 ? `\n${readingLines(left_open)}` : '';
  return `${format.padEnd(18)} ${shown(name)}  (${several}${sizeText(bytes)}${captured})${readings}`;
}

/** How the first time of a file can be read, and the option for it. */
function readingLines({ line, readings }: NonNullable<FoundItem['left_open']>): string {
  const options = readings.map(({ date_order, year, clock }, i) => {
    const option = date_order === null ? `--year ${year}` : `--date-order ${date_order}`;
    return messages.found.reading(clock, option, i === 0);
  });
  return [messages.found.timeOf(shown(line)), ...options].join('\n');
}

function parseOrder(given: string | null): DateOrder | null {
  const order = dateOrders.find((one) => one === given);
  if (given !== null && order === undefined) throw new UsageError(messages.invalidOrder(given, dateOrders.join(', ')));
  return order ?? null;
}

function parseYear(given: string | null): number | null {
  if (given === null) return null;
  const year = Number(given);
  if (!/^\d{4}$/.test(given) || year < FIRST_YEAR || year > LAST_YEAR)
    throw new UsageError(messages.invalidYear(given));
  return year;
}

type Clocks = Record<string, { offset_s: number; uncertainty_s: number }>;

/** `redfish.json=+1.8` or `redfish.json=-2.5+-0.2`; the second number is the uncertainty. */
function parseClocks(invocation: Invocation): Clocks {
  const clocks: Clocks = {};
  for (const clockOption of (invocation.values.clock as string[] | undefined) ?? []) {
    const match = /^(.+)=([+-]?\d+(?:\.\d+)?)(?:(?:\+-|±)(\d+(?:\.\d+)?))?s?$/.exec(clockOption);
    if (!match) throw new UsageError(messages.invalidClock(clockOption));
    clocks[match[1]!] = { offset_s: Number(match[2]), uncertainty_s: Number(match[3] ?? 0) };
  }
  return clocks;
}

/** `event,time=stamp:ms,entity=device,type=kind`: the table, then a column per name, with the unit of numeric times. */
function parseMapping(clockOption: string | null): ColumnMapping | null {
  if (clockOption === null) return null;
  const [table = '', ...pairs] = clockOption.split(',');
  const columns = pairs.map((pair) => {
    const match = /^(\w+)=(.+?)(?::(ns|us|ms|s))?$/.exec(pair.trim());
    if (!match) throw new UsageError(messages.invalidMap(pair));
    const [, name = '', column = '', unit] = match;
    return [name, { column, ...(unit ? { unit: unit as TimeUnit } : {}) }] as const;
  });
  const parsed = columnMappingSchema.safeParse({ table: table.trim(), columns: Object.fromEntries(columns) });
  if (!parsed.success) throw new UsageError(messages.invalidTable);
  return parsed.data;
}

/** Imports with progress on standard error. @returns all events; `printEvent` gets each one at once */
export async function importInto(
  core: Core,
  files: readonly string[],
  options: ImportOptions,
  terminal: Terminal,
  printEvent: (event: ImportEvent) => void = () => undefined,
): Promise<ImportEvent[]> {
  const handles: string[] = [];
  for (const file of files) handles.push(await core.register(file));
  const events: ImportEvent[] = [];
  const show = progressOn(terminal);
  for await (const event of core.api['import.run']({ handles, ...options }, { signal: terminal.signal })) {
    events.push(event);
    if (event.kind === 'progress') show(progressLine(event));
    else show('');
    if (event.kind === 'question')
      await core.api['import.answer']({ question: event.question, ...(await confirmRejects(event, terminal)) });
    printEvent(event);
  }
  show('');
  return events;
}

/** A log gets a line every few seconds; a person's terminal gets one line that is drawn over. */
const LOG_EVERY_MS = 5000;

export function progressOn(terminal: Terminal): (line: string) => void {
  let last = Date.now();
  let drawn = false;
  return (line) => {
    if (terminal.interactive) {
      if (line !== '' || drawn) terminal.progress(line);
      drawn = line !== '';
    } else if (line !== '' && Date.now() - last >= LOG_EVERY_MS) {
      last = Date.now();
      terminal.err(`${line}\n`);
    }
  };
}

function progressLine(event: Extract<ImportEvent, { kind: 'progress' }>): string {
  const share = event.bytes_total > 0 ? Math.round((100 * event.bytes_done) / event.bytes_total) : 100;
  const { bytes, rows, left } = messages.progress;
  const remaining = event.remaining_s === null ? '' : left(Math.ceil(event.remaining_s));
  return [
    common.percent(share).padStart(5),
    bytes(sizeText(event.bytes_done), sizeText(event.bytes_total)),
    `${rows(event.rows, event.rows_per_s)}${remaining}`,
    shown(event.file),
  ].join('  ');
}

/** The outcome of a file in one line; '' for events that are no outcome. */
export function importOutcome(event: ImportEvent): string {
  if (event.kind === 'source') {
    const { name, format, rows, rejects, entities } = event.source;
    const counts = [
      countRows(rows) || [common.noRows, ...namedTexts(entities)].join(', '),
      ...(rejects > 0 ? [common.rejects(rejects)] : []),
    ];
    return messages.imported(shown(name), format, counts.join(', '));
  }
  if (event.kind === 'skipped') return messages.skipped(shown(event.file), shown(event.problem.message));
  return event.kind === 'problem' ? messages.refused(shown(event.file), shown(event.problem.message)) : '';
}

/** How to import the file nevertheless. */
const hints: Readonly<Record<string, string>> = {
  'import.duplicate': messages.hints.duplicate,
  'import.mostly_rejected': messages.hints.mostlyRejected,
};

function withHint(problem: Problem): Problem {
  const hint = hints[problem.code] ?? problem.hint;
  return hint === undefined ? problem : { ...problem, hint };
}

import type { BundleEvent, Output } from '../../../model/contract/index.ts';
import { cutOf } from '../cut-option.ts';
import { exportCsv, exportTables, exportTrace } from '../export-forms.ts';
import { type Command, type Invocation, positional, shown, text, UsageError, withCore } from './command.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'export a case or its conclusions to other tools',
  usage:
    'faultline export CASE --otlp URL [--header NAME=env:VARIABLE ...]\n' +
    '  incidents as traces, hypotheses as log records, figures as metrics, to any OTLP/HTTP receiver (usually port 4318)\n' +
    'faultline export CASE --bundle FILE.flb [--from TIME] [--to TIME] [--entities A,B] [--redact RULES.yaml [--preview]] [--sign KEY.pem|keychain:NAME]\n' +
    '  the case as one file with the same verdicts everywhere; a part of it with --from, --to or --entities\n' +
    'faultline export CASE --parquet DIR [--overwrite]\n' +
    '  every table as Parquet with OpenTelemetry names, for DuckDB, pandas, Spark and others\n' +
    'faultline export CASE --perfetto FILE.json [--from TIME] [--to TIME] [--entities A,B]\n' +
    '  a window as a trace for ui.perfetto.dev or chrome://tracing: spans, events and metrics of these entities and their neighbours\n' +
    'faultline export CASE --csv TABLE [--out FILE.csv]\n' +
    '  one table or view of `faultline query` (see docs/export.md)',
  options: {
    otlp: { type: 'string' },
    header: { type: 'string', multiple: true },
    bundle: { type: 'string' },
    parquet: { type: 'string' },
    overwrite: { type: 'boolean' },
    perfetto: { type: 'string' },
    csv: { type: 'string' },
    out: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    entities: { type: 'string' },
    sign: { type: 'string' },
    redact: { type: 'string' },
    preview: { type: 'boolean' },
  },
  run: (invocation) => {
    const requestedForms = Object.keys(forms).filter((form) => text(invocation, form) !== null);
    if (requestedForms.length > 1) throw new UsageError(`mutually exclusive: --${requestedForms.join(' and --')}`);
    const form = invocation.values.preview === true ? 'bundle' : requestedForms[0];
    if (form === undefined)
      throw new UsageError(
        'missing target: --bundle FILE.flb, --parquet DIR, --perfetto FILE, --csv TABLE or --otlp URL',
      );
    return forms[form as keyof typeof forms](invocation);
  },
};

const forms = {
  bundle: writeBundle,
  parquet: exportTables,
  perfetto: exportTrace,
  csv: exportCsv,
  otlp: pushTelemetry,
} as const;

async function pushTelemetry(invocation: Invocation): Promise<void> {
  const path = positional(invocation, 0, 'CASE');
  const url = text(invocation, 'otlp');
  if (url === null || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--otlp needs an http or https address, not "${url}"`);
  const { username, password } = new URL(url);
  if (username !== '' || password !== '')
    throw new UsageError('do not put credentials in the URL; use --header authorization=env:VARIABLE');
  const headerOptions = invocation.values.header;
  const headers = (Array.isArray(headerOptions) ? headerOptions : []).map((header) => {
    const [, name, place] = /^([\w-]+)=((?:env|keychain):\S+)$/.exec(header) ?? [];
    if (name === undefined || place === undefined)
      throw new UsageError('invalid --header: write NAME=env:VARIABLE or NAME=keychain:NAME');
    return [name, place] as const;
  });
  await withCore(invocation, undefined, async (core) => {
    await core.openCase(path);
    const requests = await core.api['incidents.telemetry']({});
    const { terminal } = invocation;
    if (requests.metrics === '') return terminal.out('no incident found, nothing sent\n');
    const pushResult = await terminal.pushOtlp({ url, headers: Object.fromEntries(headers) }, requests);
    for (const line of pushResult) terminal.err(`${line}\n`);
    const incidents = (await core.api['incidents.list']({})).length;
    terminal.out(`sent ${incidents} ${incidents === 1 ? 'incident' : 'incidents'} to ${url}\n`);
  });
}

async function writeBundle(invocation: Invocation): Promise<void> {
  const path = positional(invocation, 0, 'CASE');
  const target = text(invocation, 'bundle') ?? '';
  const { terminal } = invocation;
  const cut = cutOf(invocation);
  const rules = text(invocation, 'redact');
  const redact = rules === null ? null : await terminal.readFile(rules);
  await withCore(invocation, undefined, async (core) => {
    await core.openCase(path);
    if (invocation.values.preview === true)
      return preview(invocation, await core.api['bundle.preview']({ cut, redact }));
    core.bundleTo(target, text(invocation, 'sign'));
    for await (const event of core.api['bundle.write']({ cut, redact }, { signal: terminal.signal })) {
      if (event.kind === 'progress') showProgress(invocation, event);
      else printDone(invocation, event, target);
    }
  });
}

function preview({ terminal }: Invocation, { rows, rows_of_case, redaction }: Output<'bundle.preview'>): void {
  for (const [table, count] of Object.entries(rows))
    if ((rows_of_case[table] ?? 0) > 0) terminal.out(`${table}: ${count} of ${rows_of_case[table]} rows\n`);
  if (!redaction) return;
  terminal.out(`${redaction.names_total} names:\n`);
  for (const { before, after } of redaction.names) terminal.out(`  ${shown(before)} -> ${shown(after)}\n`);
  for (const { place, before, after } of redaction.samples)
    terminal.out(`${shown(place)}\n  - ${shown(before)}\n  + ${shown(after)}\n`);
}

const doing: Readonly<Record<Extract<BundleEvent, { kind: 'progress' }>['stage'], string>> = {
  tables: 'writing tables',
  judging: 'analysing the selection',
  redacting: 'replacing names',
  sealing: 'packing',
};

function showProgress(
  { terminal }: Invocation,
  { stage, done, total }: Extract<BundleEvent, { kind: 'progress' }>,
): void {
  terminal.progress(`${doing[stage]} ${total === 0 ? 100 : Math.floor((100 * done) / total)} %`);
}

function printDone(
  { terminal }: Invocation,
  { bytes, rows, root, signed_by, changed }: Extract<BundleEvent, { kind: 'done' }>,
  target: string,
): void {
  terminal.progress('');
  for (const change of changed)
    terminal.err(`faultline: warning: the verdict changes without the excluded data: ${shown(change)}\n`);
  terminal.out(`wrote ${target}: ${rows} rows, ${(bytes / 2 ** 20).toFixed(1)} MiB\nroot ${root}\n`);
  if (signed_by !== null) terminal.out(`signed with the key ${signed_by}\n`);
}

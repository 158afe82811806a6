import type { BundleEvent, Output } from '../../../model/contract/index.ts';
import { cutOf } from '../cut-option.ts';
import { exportCsv, exportTables, exportTrace } from '../export-forms.ts';
import { type Command, type Invocation, positional, shown, text, UsageError, withCore } from './command.ts';
import { messages as common } from './messages/common.ts';
import { messages } from './messages/export.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: messages.summary,
  usage: messages.usage,
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
    if (requestedForms.length > 1)
      throw new UsageError(messages.severalTargets(requestedForms.map((form) => `--${form}`).join(', ')));
    const form = invocation.values.preview === true ? 'bundle' : requestedForms[0];
    if (form === undefined) throw new UsageError(messages.noTarget);
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
    throw new UsageError(messages.otlp.invalidUrl(url));
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw new UsageError(messages.otlp.credentials);
  const headerOptions = invocation.values.header;
  const headers = (Array.isArray(headerOptions) ? headerOptions : []).map((header) => {
    const [, name, place] = /^([\w-]+)=((?:env|keychain):\S+)$/.exec(header) ?? [];
    if (name === undefined || place === undefined) throw new UsageError(messages.otlp.invalidHeader);
    return [name, place] as const;
  });
  await withCore(invocation, undefined, async (core) => {
    await core.openCase(path);
    const requests = await core.api['incidents.telemetry']({});
    const { terminal } = invocation;
    if (requests.metrics === '') return terminal.out(`${messages.otlp.nothingSent}\n`);
    const pushResult = await terminal.pushOtlp({ url, headers: Object.fromEntries(headers) }, requests);
    for (const line of pushResult) terminal.err(`${line}\n`);
    const incidents = (await core.api['incidents.list']({})).length;
    terminal.out(`${messages.otlp.sent(incidents, url)}\n`);
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
    if ((rows_of_case[table] ?? 0) > 0) terminal.out(`${messages.preview.rows(table, count, rows_of_case[table])}\n`);
  if (!redaction) return;
  terminal.out(`${messages.preview.names(redaction.names_total)}\n`);
  for (const { before, after } of redaction.names) terminal.out(`  ${shown(before)} -> ${shown(after)}\n`);
  for (const { place, before, after } of redaction.samples)
    terminal.out(`${shown(place)}\n  - ${shown(before)}\n  + ${shown(after)}\n`);
}

function showProgress(
  { terminal }: Invocation,
  { stage, done, total }: Extract<BundleEvent, { kind: 'progress' }>,
): void {
  const share = total === 0 ? 100 : Math.floor((100 * done) / total);
  terminal.progress(`${messages.stages[stage]} ${common.percent(share)}`);
}

function printDone(
  { terminal }: Invocation,
  { bytes, rows, root, signed_by, changed }: Extract<BundleEvent, { kind: 'done' }>,
  target: string,
): void {
  terminal.progress('');
  for (const change of changed) terminal.err(`faultline: ${messages.verdictChanges(shown(change))}\n`);
  const size = common.megabytes((bytes / 2 ** 20).toFixed(1));
  terminal.out(`${common.wrote(target, `${common.rows(rows)}, ${size}`)}\n${messages.root(root)}\n`);
  if (signed_by !== null) terminal.out(`${messages.signed(signed_by)}\n`);
}

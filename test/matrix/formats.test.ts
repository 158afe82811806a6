import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sources } from '../../src/main/sources/index.ts';
import { eventReasons } from '../../src/main/sources/kubernetes-objects/reasons.ts';
import { kernelRules } from '../../src/main/sources/log-events/kernel.ts';
import { networkDeviceRules } from '../../src/main/sources/log-events/network-devices.ts';
import { daemonRules, driverRules } from '../../src/main/sources/log-events/parts.ts';
import { slurmRules } from '../../src/main/sources/log-events/slurm.ts';
import { storageRules } from '../../src/main/sources/log-events/storage.ts';
import { trainingRules } from '../../src/main/sources/log-events/training.ts';
import { exporters } from '../../src/main/sources/series-meaning/exporters/all.ts';
import { isMetricName, metrics } from '../../src/model/telemetry/metric.ts';
import { trainingMetrics } from '../../src/model/telemetry/training-metrics.ts';

const page = join(import.meta.dirname, '../../docs/formats.md');
const MARK = '<!-- The rest is written by `npx vitest run test/matrix -u` from the tables of the importers. -->';
/** A vertical line would end the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `|${' --- |'.repeat(head.length)}`,
  ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
];
const code = (text: string): string => `\`${text}\``;

/** What each name means; names that mean something only by their labels are marked. */
function meanings(): Map<string, Map<string, string[]>> {
  const byMetric = new Map<string, Map<string, string[]>>();
  for (const { title, names, reading } of exporters)
    for (const name of names) {
      const metric = reading({ name, labels: new Map(), unit: '' })?.metric ?? '';
      const known = metric === '' ? 'by its labels' : metric;
      if (known !== 'by its labels' && !isMetricName(known)) continue;
      const titles = byMetric.get(known) ?? new Map<string, string[]>();
      titles.set(title, [...(titles.get(title) ?? []), name]);
      byMetric.set(known, titles);
    }
  return byMetric;
}

function metricRows(): (readonly string[])[] {
  return [...meanings()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([metric, titles]) => {
      const what = isMetricName(metric) ? `${code(metric)} ${metrics[metric].unit}` : metric;
      return [what, [...titles].map(([title, names]) => `${title}: ${names.map(code).join(', ')}`).join('. ')];
    });
}

const written = (): string =>
  [
    MARK,
    '',
    '## Every format',
    '',
    ...table(
      ['`--as`', 'format', 'looked for'],
      sources.map(({ id, title, looks_for }) => [code(id), title, looks_for]),
    ),
    '',
    '## Metrics and their names',
    '',
    ...table(['metric and unit', 'names'], metricRows()),
    '',
    '## Metrics of training programs',
    '',
    'Read by their names, whatever carried them. Of a name only letters and digits count, in any case.',
    '',
    ...table(
      ['what', 'written by', 'names', 'unit'],
      trainingMetrics.map(({ means, source, names, unit }) => [
        means ?? 'nothing that is compared',
        source,
        names.length === 0 ? 'as people choose them' : names.map(code).join(', '),
        unit || 'as stated',
      ]),
    ),
    '',
    '## Texts that state an event',
    '',
    'A line states an event when it has one of these texts, and the rest of the line fits it.',
    '',
    ...table(
      ['of', 'texts'],
      [
        ['the kernel and the driver', kernelRules.filter(({ kernelOnly }) => kernelOnly !== true)] as const,
        ['the kernel alone', kernelRules.filter(({ kernelOnly }) => kernelOnly === true)] as const,
        ['drives, network cards, memory', [...driverRules, ...daemonRules]] as const,
        ['storage', storageRules] as const,
        ['training', trainingRules] as const,
        ['controller of Slurm', slurmRules] as const,
        ['switches and routers', networkDeviceRules] as const,
      ].map(([of, rules]) => [
        of,
        [...new Set(rules.flatMap(({ needles }) => needles))].map((text) => code(text.trim())).join(', '),
      ]),
    ),
    '',
    '## Steps that log lines state',
    '',
    'A line with the number of a training step has the attributes `training.step` and, where it states the time of a step with its unit,',
    '`training.step.duration` (s); one that states the end of the training has `training.done`. Read are the words of PyTorch programs',
    '(`step 120 loss 2.1 time 0.81s`), Lightning and tqdm (`120/500 [01:37<05:10, 1.23it/s, loss=2.1]`), Megatron-LM',
    '(`iteration 120/ 500 | elapsed time per iteration (ms): 812.3`), DeepSpeed (`step=120, skipped=0, lr=`), NeMo (`train_step_timing in s=0.81`)',
    'and MaxText (`completed step: 12, seconds: 0.81`). Of structured logs `step`, `global_step` and `iteration` count beside a loss, a learning',
    'rate, tokens, samples or the time of a step. Lines that name only a machine or a pod, as those of syslog, are of a job there.',
    '',
    '## Reasons of Kubernetes events',
    '',
    ...table(
      ['event', 'reasons'],
      [...Map.groupBy(Object.entries(eventReasons), ([, [type]]) => type)].map(([type, of]) => [
        code(type),
        of.map(([reason]) => code(reason)).join(', '),
      ]),
    ),
    '',
  ].join('\n');

test('docs/formats.md lists what the importers know', async () => {
  const [prose = ''] = readFileSync(page, 'utf8').split(MARK);
  await expect(`${prose.trimEnd()}\n\n${written()}`).toMatchFileSnapshot(page);
});

test('every name in the list of an exporter is its own', () => {
  for (const { title, names, owns } of exporters)
    expect(
      names.filter((name) => !owns(name)),
      title,
    ).toEqual([]);
});

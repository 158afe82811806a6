import { nearestName } from '../../../base/nearest-name.ts';
import type { FindingView } from '../../../model/incident/finding.ts';
import { fail, type Problem, ProblemError } from '../../../model/problem.ts';
import { countRows } from '../../../model/rows/row-nouns.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { newScratch } from '../../disk/scratch-folder.ts';
import { type Recording, readCorpus } from '../replay/corpus-folder.ts';
import { type Confusion, confusions, holds, judge, type Outcome } from '../replay/judge.ts';
import type { Expectation } from '../replay/label.ts';
import {
  type Command,
  type Core,
  changedText,
  shown,
  type Terminal,
  text,
  thresholdsOption,
  toJson,
  UsageError,
  withCore,
} from './command.ts';
import { importInto, progressOn } from './import.ts';
import { messages } from './messages/replay.ts';

export const replayCommand: Command = {
  name: 'replay',
  summary: messages.summary,
  usage: messages.usage,
  options: { json: { type: 'boolean' }, pattern: { type: 'string' }, ...thresholdsOption },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const { terminal } = invocation;
      const only = text(invocation, 'pattern');
      const { changed, problem } = await core.api['thresholds.status']({});
      if (problem) fail(problem.code, problem.message, problem.hint ? { hint: problem.hint } : {});
      const { patterns: known } = await core.api['patterns.known']({});
      if (only !== null && !known.includes(only))
        throw new UsageError(messages.unknownPattern(only, nearestName(only, known)));
      const corpus = await readCorpus(terminal, invocation.positionals[0] ?? terminal.corpusPath, known);
      const wanted = corpus.filter(({ pattern }) => only === null || pattern === null || pattern === only);
      const show = progressOn(terminal);
      const replayed: Replayed[] = [];
      for (const [index, recording] of wanted.entries()) {
        show(messages.progress(index + 1, wanted.length, shown(recording.name)));
        replayed.push(await replay(core, recording, terminal));
      }
      show('');
      const result = { ...toResult(replayed, only === null ? known : [only]), thresholds_changed: changed };
      if (changed.length > 0 && !invocation.values.json) terminal.out(`${changedText(changed)}\n`);
      if (invocation.values.json) terminal.out(toJson(result));
      else terminal.out(`${resultText(replayed, result)}\n`);
      if (result.totals.held < result.totals.all) fail('replay.differs', messages.differs);
    }),
};

interface Replayed {
  readonly recording: Recording;
  /** null: it could not be read. */
  readonly outcome: Outcome | null;
  readonly problem: Problem | null;
  readonly rejects: number;
}

/** Finds patterns in a recording, in a case of its own that is gone afterwards. A case or bundle is opened instead. */
async function replay(core: Core, recording: Recording, terminal: Terminal): Promise<Replayed> {
  const { signal } = terminal;
  signal.throwIfAborted();
  const scratch = await newScratch('replay');
  try {
    if (/\.(flb|faultline)$/i.test(recording.path)) await core.openCase(recording.path);
    else await importRecording(core, recording.path, { place: `${scratch.folder}/case.faultline`, terminal });
    const { findings } = await core.api['patterns.list']({}, { signal });
    const { total } = await core.api['rejects.list']({ limit: 1 });
    return { recording, outcome: judge(recording, findings), problem: null, rejects: total };
  } catch (error) {
    if (!(error instanceof ProblemError) || signal.aborted) throw error;
    return { recording, outcome: null, problem: error.problem, rejects: 0 };
  } finally {
    await core.api['case.close']({});
    await scratch.remove();
  }
}

/** @throws ProblemError of the first file that cannot be read: in what it lacks a pattern might be found */
async function importRecording(
  core: Core,
  path: string,
  { place, terminal }: { readonly place: string; readonly terminal: Terminal },
): Promise<void> {
  await core.placeCase(place);
  const events = await importInto(core, [path], { format: null, clocks: {}, keep: true }, terminal);
  const refused = events.find((event) => event.kind === 'problem');
  const isRead = events.some(
    (event) => event.kind === 'source' && (event.source.rejects === 0 || countRows(event.source.rows) !== ''),
  );
  if (!refused && !isRead) fail('replay.nothing_read', messages.nothingRead, { hint: messages.notReadHint });
  if (!refused) return;
  const { code, message, hint = messages.notReadHint } = refused.problem;
  fail(code, message.includes(refused.file) ? message : `${refused.file}: ${message}`, { hint });
}

function toResult(replayed: readonly Replayed[], patterns: readonly string[]) {
  const outcomes = replayed.flatMap(({ outcome }) => outcome ?? []);
  return {
    patterns: confusions(outcomes, patterns),
    recordings: replayed.map(({ recording, outcome, problem, rejects }) => ({
      ...recording,
      holds: outcome !== null && holds(outcome),
      missed: outcome?.missed ?? [],
      unexpected: outcome?.unexpected ?? [],
      expected: outcome?.expected ?? [],
      problem,
      rejects,
    })),
    totals: {
      all: replayed.length,
      held: outcomes.filter(holds).length,
      missed: outcomes.reduce((sum, { missed }) => sum + missed.length, 0),
      unexpected: outcomes.reduce((sum, { unexpected }) => sum + unexpected.length, 0),
      notRead: replayed.length - outcomes.length,
    },
  };
}

function resultText(replayed: readonly Replayed[], { patterns, totals }: ReturnType<typeof toResult>): string {
  const { lines } = messages;
  const differences = replayed.flatMap(({ recording: { name: given, why }, outcome, problem, rejects }) => {
    const name = shown(given);
    const wrong = [
      ...(outcome?.missed ?? []).map((one) => lines.missed(name, expectationText(one))),
      ...(outcome?.unexpected ?? []).flatMap((one) => [
        lines.unexpected(name, findingText(one)),
        lines.detail(shown(one.headline)),
      ]),
      ...(problem
        ? [lines.notRead(name, shown(problem.message)), lines.detail(problem.hint ?? messages.notReadHint)]
        : []),
    ];
    const reason = wrong.length > 0 && why !== null ? [lines.detail(shown(why))] : [];
    return [...wrong, ...reason, ...(rejects > 0 ? [lines.rejects(name, rejects)] : [])];
  });
  return [
    ...confusionTable(patterns.filter(hasCases)),
    ...withoutCases(patterns),
    '',
    ...differences,
    ...(differences.length > 0 ? [''] : []),
    messages.totals(totals),
  ].join('\n');
}

const hasCases = ({ kinds, elsewhere }: Confusion): boolean =>
  elsewhere > 0 ||
  kinds.healthy.found > 0 ||
  (['positive', 'partial', 'negative', 'adjacent'] as const).some((kind) => kinds[kind].found + kinds[kind].quiet > 0);

/** A folder of one's own is about a few patterns. */
function withoutCases(patterns: readonly Confusion[]): string[] {
  const others = patterns.filter((one) => !hasCases(one));
  return others.length === 0 ? [] : ['', messages.others(others.length, others[0]!.kinds.healthy.quiet)];
}

const LABEL = 24;
const CELL = 7;

/** A row for each pattern: its recordings by label, and whether it was found in them. */
function confusionTable(patterns: readonly Confusion[]): string[] {
  const { columns } = messages;
  const wanted = ['positive', 'partial'] as const;
  const unwanted = ['negative', 'adjacent', 'healthy'] as const;
  const row = (label: string, cells: readonly (string | number)[], width = CELL): string =>
    `${label.padEnd(LABEL)}${cells.map((cell) => String(cell).padEnd(width)).join('')}`.trimEnd();
  return [
    row('', [...wanted, ...unwanted], 2 * CELL),
    row(columns.pattern, [
      ...wanted.flatMap(() => [columns.found, columns.missed]),
      ...unwanted.flatMap(() => [columns.quiet, columns.found]),
      columns.elsewhere,
    ]),
    ...patterns.map(({ pattern, kinds, elsewhere }) =>
      row(pattern, [
        ...wanted.flatMap((kind) => [kinds[kind].found, kinds[kind].quiet]),
        ...unwanted.flatMap((kind) => [kinds[kind].quiet, kinds[kind].found]),
        elsewhere,
      ]),
    ),
  ];
}

function expectationText({ pattern, verdict, headline, missing, entities, from, to }: Expectation): string {
  return [
    pattern,
    verdict ?? '',
    headline === undefined ? '' : messages.headline(shown(headline)),
    missing === undefined ? '' : messages.without(missing.map(shown).join(', ')),
    entities === undefined ? '' : messages.about(entities.map(shown).join(', ')),
    from === undefined ? '' : formatUtc(nanos(from)),
    to === undefined ? '' : messages.until(formatUtc(nanos(to))).trim(),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

const findingText = ({ pattern, severity, verdict, start_ns, end_ns }: FindingView): string =>
  `${pattern}, ${severity}, ${verdict}, ${formatUtc(nanos(start_ns))}${messages.until(formatUtc(nanos(end_ns)))}`;

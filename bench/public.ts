import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Conclusion } from '../src/core/analysis/conclude.ts';
import { investigate } from '../src/core/analysis/correlate.ts';
import { evidenceText } from '../src/core/analysis/evidence/index.ts';
import { type SoftwareSuspect, softwareSuspects } from '../src/core/analysis/software/software-suspects.ts';
import { createReader, type Reader } from '../src/core/store/facts/reader.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import type { TypedHypothesis } from '../src/model/incident/incident.ts';
import { correlateOptionsSchema } from '../src/model/incident/incident-schema.ts';
import { formatUtc, nanos } from '../src/model/time.ts';
import { average, calibrationError, type Judgement } from './corpus/statistics.ts';
import { importPaths } from './import-paths.ts';
import { options } from './options.ts';
import type { LabelledIncident, PublicSet } from './public/labelled-incident.ts';
import { nezha } from './public/nezha.ts';
import { petshop } from './public/petshop.ts';

const data = join(import.meta.dirname, '../../shared/data/rca');
const sets: readonly PublicSet[] = [nezha(join(data, 'nezha')), petshop(join(data, 'petshop'))];

const NORMAL_DAYS = 'normal-days.jsonl';

/** How the failure time is given. A minute off in either direction must not matter; without it the worst impact counts. */
const times = [
  { name: 'time given', at: (at_ns: bigint) => ({ at_ns }) },
  { name: 'a minute early', at: (at_ns: bigint) => ({ at_ns: at_ns - 60_000_000_000n }) },
  { name: 'a minute late', at: (at_ns: bigint) => ({ at_ns: at_ns + 60_000_000_000n }) },
  { name: 'no time', at: () => ({}) },
] as const;

/** With a recording of normal days the case is imported again. */
const timesWithNormalDays: ReadonlySet<string> = new Set(['time given', 'no time']);

/**
 * Incidents that others have recorded and labelled, through the ordinary importers, then the same function as ever: how
 * often the service at fault is named first (AC@1) or among the first three (AC@3). By `correlate` means among all hypotheses that an
 * investigator reads, "not enough evidence" among them.
 */
export async function benchPublic(): Promise<void> {
  console.log('\nlabelled incidents of public sets; AC@k: the service at fault is among the first k');
  for (const set of sets) {
    if (!existsSync(join(data, set.name.toLowerCase()))) {
      console.log(`${set.name}: skipped, ../shared/data/rca/${set.name.toLowerCase()} is not there`);
      continue;
    }
    const ranks = new Map<string, number[]>();
    const groups = new Map<string, number[]>();
    const verdicts = new Map<string, Stated[]>();
    for await (const incident of set.read()) {
      const { ranks: found, stated } = await judge(incident);
      for (const [name, rank] of found) ranks.set(name, [...(ranks.get(name) ?? []), rank]);
      for (const [name, one] of stated) verdicts.set(name, [...(verdicts.get(name) ?? []), one]);
      const rank = found.get('time given')!;
      groups.set(incident.fault, [...(groups.get(incident.fault) ?? []), rank]);
    }
    for (const [name, list] of ranks) print(`${set.name}, ${name}`, list);
    for (const [name, list] of verdicts) printVerdicts(`${set.name}, ${name}`, list);
    for (const [fault, list] of groups) print(`${set.name}, ${fault}, time given`, list);
    console.log(`  published: ${set.published}`);
  }
}

interface Judged {
  /** Of the service at fault, from 1, by the name of what ranked it. */
  readonly ranks: ReadonlyMap<string, number>;
  /** By how the time is given. */
  readonly stated: ReadonlyMap<string, Stated>;
}

async function judge(incident: LabelledIncident): Promise<Judged> {
  const ranks = new Map<string, number>();
  const stated = new Map<string, Stated>();
  await withCase(incident, incident.name, async (reader) => {
    const service = await serviceNamed(reader, incident.sufferer);
    for (const { name, at } of times) {
      const { suspects } = await softwareSuspects(reader, { ...service, ...at(incident.at_ns) });
      ranks.set(name, rankAmong(suspects, incident.root_cause));
      const verdict = await byCorrelate(reader, incident, at(incident.at_ns));
      ranks.set(`${name}, by correlate`, verdict.rank);
      stated.set(`${name}, by correlate`, verdict);
      if (options.verbose && name === 'time given') explain(incident, suspects);
    }
  });
  if (incident.normal === null) return { ranks, stated };
  const files = { ...incident.files, [NORMAL_DAYS]: incident.normal };
  await withCase({ ...incident, files }, `${incident.name} and normal days`, async (reader) => {
    for (const { name, at } of times.filter((one) => timesWithNormalDays.has(one.name))) {
      const verdict = await byCorrelate(reader, incident, at(incident.at_ns), [NORMAL_DAYS]);
      ranks.set(`${name}, by correlate, normal days`, verdict.rank);
      stated.set(`${name}, by correlate, normal days`, verdict);
    }
  });
  return { ranks, stated };
}

async function withCase(
  incident: LabelledIncident,
  name: string,
  use: (reader: Reader) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-public-'));
  try {
    const { engine } = await openCaseFolder(await importedCase(folder, incident, name), { create: false });
    const session = await engine.session();
    try {
      await use(createReader(session));
    } finally {
      session.close();
      await engine.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A verdict as an investigator reads it, and whether it is right. */
interface Stated extends Judgement {
  /** Of the service at fault among all hypotheses, "not enough evidence" and devices too, from 1; Infinity: it is not listed. */
  readonly rank: number;
  /** Of the service at fault, 0 to 1. */
  readonly ofTruth: number;
}

/** What `faultline correlate --service S --at TIME` states: of the incident nearest to the given time, or without one of the longest. */
async function byCorrelate(
  reader: Reader,
  { sufferer, root_cause }: LabelledIncident,
  { at_ns }: { readonly at_ns?: bigint },
  baseline_of: readonly string[] = [],
): Promise<Stated> {
  const at = at_ns === undefined ? null : formatUtc(nanos(at_ns));
  const correlateOptions = correlateOptionsSchema.parse({ service: sufferer, at, baseline_of });
  const { conclusions } = await investigate(reader, correlateOptions);
  const far = ({ window }: Conclusion): number =>
    at_ns === undefined
      ? -Number(window.end_ns - window.onset_ns)
      : Math.max(0, Number(window.onset_earliest_ns - at_ns), Number(at_ns - window.end_ns));
  const [meant] = conclusions.toSorted((a, b) => far(a) - far(b));
  const hypotheses = meant?.incident.hypotheses ?? [];
  const isTruth = ({ subject }: TypedHypothesis) => subject?.kind === 'service' && subject.id === root_cause;
  const found = hypotheses.find(isTruth);
  const rank = found
    ? hypotheses.filter(({ probability }) => probability >= found.probability).length
    : Number.POSITIVE_INFINITY;
  const [first] = hypotheses;
  return {
    rank,
    probability: first?.probability ?? 0,
    right: first !== undefined && isTruth(first),
    ofTruth: found?.probability ?? 0,
  };
}

/** Suspects of one score share their places: the last of them counts. */
function rankAmong(suspects: readonly SoftwareSuspect[], root_cause: string): number {
  const found = suspects.find(({ subject }) => subject.id === root_cause);
  return found ? suspects.filter(({ score }) => score >= found.score).length : Number.POSITIVE_INFINITY;
}

function explain({ name, root_cause, fault }: LabelledIncident, suspects: readonly SoftwareSuspect[]): void {
  console.log(`  ${name} (${fault}): ${root_cause} is number ${rankAmong(suspects, root_cause)}`);
  for (const { subject, score, evidence } of suspects.slice(0, 3)) {
    console.log(`    ${score.toFixed(2)} ${subject.id}`);
    for (const one of evidence) console.log(`         ${one.weight.toFixed(2)} ${evidenceText(one).slice(0, 170)}`);
  }
}

/** The case of an incident: with `--cases FOLDER` one that an earlier run left there. */
async function importedCase(folder: string, incident: LabelledIncident, name: string): Promise<string> {
  if (options.cases === undefined) return importInto(folder, incident);
  const kept = join(options.cases, `${name.replaceAll(/[^\w.-]/g, '_')}.faultline`);
  if (existsSync(kept)) return kept;
  const made = await importInto(folder, incident);
  await mkdir(options.cases, { recursive: true });
  await rename(made, kept);
  return kept;
}

async function importInto(folder: string, { files }: LabelledIncident): Promise<string> {
  const path = join(folder, 'public.faultline');
  const paths: string[] = [];
  for (const [file, text] of Object.entries(files)) {
    await writeFile(join(folder, file), text);
    paths.push(join(folder, file));
  }
  await importPaths(path, paths);
  return path;
}

async function serviceNamed(reader: Reader, name: string | null): Promise<{ readonly service?: number }> {
  const entity = (await reader.entities()).find(({ kind, id }) => kind === 'service' && id === name);
  return entity ? { service: entity.canonical_id } : {};
}

function print(what: string, ranks: readonly number[]): void {
  const share = (k: number): string => {
    const hits = ranks.filter((rank) => rank <= k).length;
    const [low, high] = wilson(hits, ranks.length);
    return `AC@${k} ${percent(hits / ranks.length)} (${percent(low)} to ${percent(high)})`;
  };
  console.log(`${what.padEnd(44)} ${share(1)}   ${share(3)}   n = ${ranks.length}`);
}

/** A cause that is not listed has at most this probability: what a list leaves out. */
const LEAST_STATED = 0.001;

function printVerdicts(what: string, list: readonly Stated[]): void {
  const loss = average(list.map(({ ofTruth }) => -Math.log(Math.max(ofTruth, LEAST_STATED))));
  const sure = list.filter(({ probability }) => probability >= 0.9);
  const right = sure.filter((one) => one.right).length;
  console.log(
    `${what.padEnd(44)} calibration error ${calibrationError(list).toFixed(3)}   log loss ${loss.toFixed(3)}   ${right} of ${sure.length} stated with 0.9 or more are right`,
  );
}

const percent = (value: number): string => `${(100 * value).toFixed(0)} %`;

/** 95 % interval of a share (E. B. Wilson, Journal of the American Statistical Association 22, 1927). */
function wilson(hits: number, n: number): [number, number] {
  if (n === 0) return [0, 1];
  const z = 1.96;
  const middle = (hits + (z * z) / 2) / (n + z * z);
  const half = (z / (n + z * z)) * Math.sqrt((hits * (n - hits)) / n + (z * z) / 4);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

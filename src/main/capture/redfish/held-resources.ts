import { withEither } from '../../../base/with-either.ts';
import { ProblemError } from '../../../model/problem.ts';
import { type Json, linkOf, linksOf, normalizeId, objectsOf, textOf, typeOf } from '../../sources/redfish/format.ts';
import type { ResourceTree, TreeProblems } from '../../sources/redfish/resource-tree.ts';
import type { Answer, Controller } from './controller.ts';
import { excerptsIn, isExpanded, type Link, linksFrom, nextPage, sourcesIn, type Tier, tierOf } from './followed.ts';
import { expandQuery } from './quirks.ts';
import { isOfResource, whyNot } from './why-not.ts';

/** A GB300 has a thousand that are followed; what goes on beyond this means harm. */
const MOST_ANSWERS = 8000;
const MOST_BYTES = 256 * 1024 * 1024;
/** Links from the root on. A port of a processor of a system lies six deep. */
const MOST_LEVELS = 12;
/** A controller that is silent so often in a row is not asked for the rest. */
const MOST_SILENCES = 3;
/** A metric report that is older does not stand for the sensors that it names. */
const FRESH_MS = 120_000;

/** Resources that consist of excerpts. */
const REPEATING = /^(EnvironmentMetrics|ThermalMetrics)$/;

/** One answer: a resource, or a collection with its members in full. */
interface Held {
  readonly doc: Json;
  readonly etag: string;
  readonly asked_ms: number;
  readonly tier: Tier;
}

/** What a controller has answered, by path; asked anew as often as it changes. */
export class HeldResources {
  private readonly controller: Controller;
  private readonly remark: (text: string) => void;
  private held: Map<string, Held> = new Map();
  private spared: ReadonlySet<string> = new Set();
  /** What is linked and could not be read. */
  private readonly missing = new Set<string>();
  /** Collections that are refused when their members are wanted in full. */
  private readonly unexpandable = new Set<string>();

  constructor(controller: Controller, remark: (text: string) => void) {
    this.controller = controller;
    this.remark = remark;
  }

  get size(): number {
    return this.held.size;
  }

  /** Everything is asked anew in full: a controller that began anew may give old names to new things. */
  forget(): void {
    this.held = new Map();
  }

  /**
   * Follows the links from the root.
   *
   * @throws what the controller throws when it does not answer at all
   */
  async learn(signal: AbortSignal): Promise<void> {
    const root = await this.controller.root(signal);
    const found = new Map<string, Held>();
    const visited = new Set<string>();
    const round = new Round(this.remark, this.missing);
    let level: Link[] = [...linksFrom(root)];
    for (let depth = 0; level.length > 0 && depth < MOST_LEVELS; depth++) {
      const next: Link[] = [];
      const wanted = level.filter(({ to }) => {
        const path = this.controller.own(to);
        const isNew = path !== undefined && !visited.has(normalizeId(path));
        if (isNew) visited.add(normalizeId(path));
        return isNew;
      });
      // The first is asked alone: a wrong password counts once.
      const waves = depth === 0 ? [wanted.slice(0, 1), wanted.slice(1)] : [wanted];
      for (const wave of waves)
        await round.all(wave, signal, async (link, going) => {
          if (found.size >= MOST_ANSWERS || round.bytes > MOST_BYTES) {
            this.remark('the controller has more resources than are followed');
            return;
          }
          const { path, answer } = await this.ask(link, root, going);
          round.bytes += answer.bytes;
          const doc = answer.doc ?? this.held.get(path)?.doc;
          if (!doc) return;
          found.set(path, { doc, etag: answer.etag, asked_ms: answer.asked_ms, tier: tierOf(doc) });
          next.push(...linksFrom(doc), { to: nextPage(doc), isCollection: false });
        });
      level = next.filter(({ to }) => to !== '');
      // At last what is shown but not listed.
      if (level.length === 0)
        level = unlisted(found)
          .filter((to) => !visited.has(to))
          .map((to) => ({ to, isCollection: false }));
    }
    if (level.length > 0) this.remark('links of the controller go deeper than they are followed');
    round.end(found.size);
    this.held = found;
    this.spared = this.sparedNow();
  }

  private async ask(
    { to, isCollection }: Link,
    root: Json,
    signal: AbortSignal,
  ): Promise<{ readonly path: string; readonly answer: Answer }> {
    const plain = this.controller.own(to) ?? '';
    const query = isCollection && !plain.includes('?') && !this.unexpandable.has(plain) ? expandQuery(root) : null;
    if (query !== null) {
      const path = `${plain}?${query}`;
      try {
        const answer = await this.controller.get(path, signal);
        if (isInFull(answer.doc)) return { path, answer };
      } catch (error) {
        if (!isOfResource(error)) throw error;
      }
      this.unexpandable.add(plain);
    }
    return { path: plain, answer: await this.controller.get(plain, signal, this.held.get(plain)?.etag) };
  }

  /** Asks anew what changes so often; what is told elsewhere is left to that. @throws when nothing answers */
  async refresh(tiers: readonly Tier[], signal: AbortSignal): Promise<void> {
    const isWhole = tiers.includes('standing');
    const due = [...this.held].filter(
      ([path, { tier }]) => tiers.includes(tier) && (isWhole || !this.spared.has(path)),
    );
    const round = new Round(this.remark, this.missing);
    let answered = 0;
    await round.all(due, signal, async ([path, known], going) => {
      // The tag of a collection says nothing of its members.
      const etag = path.includes('?') ? '' : known.etag;
      const answer = await this.controller.get(path, going, etag);
      answered++;
      const doc = answer.doc ?? known.doc;
      this.held.set(path, { ...known, doc, etag: answer.etag, asked_ms: answer.asked_ms });
    });
    if (due.length > 0) round.end(answered);
    if (isWhole) this.spared = this.sparedNow();
  }

  /** A resource that came by itself: a metric report of the event stream. */
  put(doc: Json, asked_ms: number): void {
    const path = this.controller.own(textOf(doc['@odata.id']));
    if (path !== undefined) this.held.set(path, { doc, etag: '', asked_ms, tier: tierOf(doc) });
  }

  /** Into a tree, each as of when it was asked. Of two copies, as of a report that lies in a collection too, the newer is used. */
  addTo(tree: ResourceTree, problems: TreeProblems): void {
    const offset_ms = this.controller.clock.offset_ms;
    const newestFirst = [...this.held].sort(([, a], [, b]) => b.asked_ms - a.asked_ms);
    for (const [path, { doc, asked_ms }] of newestFirst)
      tree.addDocument(doc, { path }, problems, BigInt(Math.round(asked_ms + offset_ms)) * 1_000_000n);
  }

  /** Resources of a type, also those that lie in a collection. */
  *ofType(type: string): Generator<Json> {
    for (const { doc } of this.held.values())
      for (const one of [doc, ...objectsOf(doc['Members']).filter(isExpanded)]) if (typeOf(one) === type) yield one;
  }

  /** When a resource, or the collection that holds it, was last asked. */
  askedOf(id: string): number | undefined {
    for (const { doc, asked_ms } of this.held.values())
      if (
        doc['@odata.id'] === id ||
        objectsOf(doc['Members']).some((one) => isExpanded(one) && one['@odata.id'] === id)
      )
        return asked_ms;
    return undefined;
  }

  /** Where the entries of logs are. */
  logs(): readonly string[] {
    return [...this.ofType('LogService')].map((doc) => linkOf(doc['Entries'])).filter((link) => link !== '');
  }

  /** What fresh metric reports tell already, and what only repeats sensors that are asked anyway. */
  private sparedNow(): ReadonlySet<string> {
    const reported = this.reportedNow();
    const sensors = new Set([...this.ofType('Sensor')].map((doc) => normalizeId(textOf(doc['@odata.id']))));
    const spared = new Set<string>();
    for (const [path, { doc }] of this.held) {
      const members = objectsOf(doc['Members']).filter(isExpanded);
      const told = members.length > 0 ? members : [doc];
      const isReported = told.every((one) => reported.has(normalizeId(textOf(one['@odata.id']))));
      const isRepeated = REPEATING.test(typeOf(doc)) && excerptsIn(doc).every((source) => sensors.has(source));
      if (isReported || isRepeated) spared.add(path);
    }
    return spared;
  }

  private reportedNow(): ReadonlySet<string> {
    const now_ms = Date.now() + this.controller.clock.offset_ms;
    const reported = new Set<string>();
    for (const report of this.ofType('MetricReport')) {
      if (!(Math.abs(Date.parse(textOf(report['Timestamp'])) - now_ms) < FRESH_MS)) continue;
      for (const value of objectsOf(report['MetricValues']))
        reported.add(normalizeId(textOf(value['MetricProperty']).replace(/#.*$/, '')));
    }
    return reported;
  }
}

/** Sensors that are shown by resources, and neither held nor among the members of a collection that is. */
function unlisted(found: ReadonlyMap<string, Held>): readonly string[] {
  const shown = new Set<string>();
  const held = new Set<string>();
  for (const { doc } of found.values()) {
    for (const source of sourcesIn(doc)) if (!source.includes('#')) shown.add(normalizeId(source));
    for (const one of [doc, ...objectsOf(doc['Members'])]) held.add(normalizeId(textOf(one['@odata.id'])));
  }
  return [...shown].filter((id) => !held.has(id));
}

const isInFull = (doc: Json | undefined): boolean =>
  doc !== undefined && (linksOf(doc['Members']).length === 0 || objectsOf(doc['Members']).every(isExpanded));

/** Many requests of which some may fail: one resource that cannot be had is a gap, a silent controller ends the round. */
class Round {
  private readonly remark: (text: string) => void;
  private silences = 0;
  private last: unknown;
  private readonly known: Set<string>;
  private readonly missed: string[] = [];
  bytes = 0;

  /** @param known what was missing before, and is from now on */
  constructor(remark: (text: string) => void, known: Set<string>) {
    this.remark = remark;
    this.known = known;
  }

  /** @param work is told to stop, also where it waits for its turn, once the controller has been silent too often */
  async all<T>(
    items: readonly T[],
    signal: AbortSignal,
    work: (item: T, going: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    const one = async (item: T, going: AbortSignal): Promise<void> => {
      try {
        await work(item, going);
        this.silences = 0;
      } catch (error) {
        if (going.aborted) return;
        this.last = error;
        this.missing(error);
        if (!isOfResource(error) && (isRefused(error) || ++this.silences >= MOST_SILENCES)) stop.abort();
      }
    };
    await withEither([signal, stop.signal], (going) => Promise.all(items.map((item) => one(item, going))));
    signal.throwIfAborted();
    if (stop.signal.aborted) throw this.last;
  }

  private missing(error: unknown): void {
    const told = whyNot(error, 'the controller');
    const place = error instanceof ProblemError ? (error.problem.place ?? told) : told;
    if (!this.known.has(place)) this.missed.push(told);
    this.known.add(place);
  }

  /** Says what is missing that was not missing before. @throws what went wrong when nothing was answered at all */
  end(answered: number): void {
    if (answered === 0 && this.last !== undefined) throw this.last;
    // That something linked is not there is common, and says less than that it fails.
    const [first, ...others] = this.missed.sort((a, b) => Number(/ 404\b/.test(a)) - Number(/ 404\b/.test(b)));
    if (first === undefined) return;
    const rest = others.length === 0 ? '' : `, and ${others.length} more that are linked`;
    this.remark(`what could not be read is missing: ${first}${rest}`);
  }
}

const isRefused = (error: unknown): boolean => error instanceof ProblemError && error.problem.code === 'feed.refused';

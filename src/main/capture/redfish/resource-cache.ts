import { type Json, linkOf, linksOf, normalizeId, objectsOf, textOf, typeOf } from '../../sources/redfish/format.ts';
import type { ResourceTree, TreeProblems } from '../../sources/redfish/resource-tree.ts';
import { steadyNow } from '../steady-clock.ts';
import { Budget, fitted, LIMITS, type Limits, statedCount } from './budget.ts';
import type { Answer, Controller } from './controller.ts';
import {
  excerptsIn,
  isExpanded,
  type Link,
  linksFrom,
  nextPage,
  sourcesIn,
  type Tier,
  tierOf,
} from './followed-links.ts';
import { expandQuery } from './quirks.ts';
import { Round } from './round.ts';
import { isOfResource } from './why-not.ts';

/** Link depth from the root. A port of a processor of a system is six deep. */
const MOST_LEVELS = 12;
/** Pushed metric reports that no resource links. */
const MOST_PUSHED = 64;
/** An older metric report does not replace the sensors that it names. */
const FRESH_MS = 120_000;

/** Resources that only repeat sensors. */
const REPEATING = /^(EnvironmentMetrics|ThermalMetrics)$/;

/** One response: a resource, or a collection with its members in full. */
interface CachedResource {
  readonly doc: Json;
  readonly etag: string;
  readonly requested_ms: number;
  readonly tier: Tier;
  readonly bytes: number;
  /** Most members that are kept. */
  readonly room: number;
}

/** Responses of a controller by path, refreshed as often as they change. */
export class ResourceCache {
  private readonly controller: Controller;
  private readonly remark: (text: string) => void;
  private cached: Map<string, CachedResource> = new Map();
  private bytes = 0;
  private skippedResources: ReadonlySet<string> = new Set();
  /** Linked resources that could not be read. */
  private readonly missing = new Set<string>();
  /** Collections that refuse to expand their members. */
  private readonly unexpandable = new Set<string>();

  private readonly limits: Limits;
  /** Paths of reports that were only pushed. */
  private readonly pushed = new Set<string>();

  constructor(controller: Controller, remark: (text: string) => void, limits = LIMITS) {
    this.controller = controller;
    this.remark = remark;
    this.limits = limits;
  }

  get size(): number {
    return this.cached.size;
  }

  /** Drops all state: a restarted controller may reuse names for other parts. */
  forget(): void {
    this.cached = new Map();
    this.pushed.clear();
  }

  /**
   * Follows the links from the root within the limits; a remark names what was left out.
   *
   * @throws what the controller throws if it does not respond at all
   */
  async learn(signal: AbortSignal): Promise<void> {
    const root = await this.controller.root(signal);
    const learning: Learning = { root, found: new Map(), visited: new Set(), budget: new Budget(this.limits) };
    const { found, budget } = learning;
    const round = new Round(this.remark, this.missing);
    let level: readonly Link[] = this.newIn(learning, linksFrom(root));
    for (let depth = 0; level.length > 0 && depth < MOST_LEVELS; depth++) {
      const next: Link[] = [];
      // Request the first alone: a wrong password then counts once.
      const waves = depth === 0 ? [level.slice(0, 1), level.slice(1)] : [level];
      for (const wave of waves)
        await round.all(wave, signal, async (link, going) => {
          for await (const doc of this.pages(link, learning, going))
            for (const one of this.newIn(learning, linksFrom(doc))) next.push(one);
        });
      level = next;
      // At the end, sensors that resources show but collections do not list.
      if (level.length === 0)
        level = this.newIn(
          learning,
          unlisted(found).map((to) => ({ to, isCollection: false })),
        );
    }
    if (level.length > 0) this.remark(`the links of the controller are too deep: ${level.length} are left out`);
    const leftOut = budget.summary();
    if (leftOut !== null) this.remark(leftOut);
    round.end(found.size);
    this.cached = found;
    this.pushed.clear();
    this.skippedResources = this.skippedNow();
  }

  /** Links that were not visited yet. */
  private newIn({ visited }: Learning, links: Iterable<Link>): readonly Link[] {
    const wanted: Link[] = [];
    for (const link of links) {
      const path = link.to === '' ? undefined : this.controller.own(link.to);
      if (path === undefined || visited.has(normalizeId(path))) continue;
      visited.add(normalizeId(path));
      wanted.push(link);
    }
    return wanted;
  }

  /** A resource, or the pages of a collection, each with the members that fit. */
  private async *pages(link: Link, learning: Learning, signal: AbortSignal): AsyncGenerator<Json> {
    const { root, found, budget } = learning;
    const { members: most, pages: mostPages } = this.limits;
    let [members, over] = [0, 0];
    let stated: number | undefined;
    let at: Link | undefined = link;
    for (let page = 0; at !== undefined && members < most && page < mostPages; page++) {
      if (!budget.allows()) return;
      const { path, answer }: Fetched = await this.fetchResource(at, root, signal);
      budget.answered(answer.bytes);
      const known = this.cached.get(path);
      const whole = answer.doc ?? known?.doc;
      if (!whole) return;
      const room = most - members;
      const fittedAnswer = fitted(whole, room);
      const { etag, requested_ms } = answer;
      const bytes = answer.doc ? answer.bytes : (known?.bytes ?? 0);
      found.set(path, { doc: fittedAnswer.doc, etag, requested_ms, bytes, room, tier: tierOf(fittedAnswer.doc) });
      members += fittedAnswer.members;
      over += fittedAnswer.over;
      stated ??= statedCount(whole);
      yield fittedAnswer.doc;
      const next: string = nextPage(whole);
      [at] = this.newIn(learning, [{ to: next, isCollection: false }]);
    }
    if (over > 0 || at !== undefined) this.remark(cutOff(link.to, members, stated, members + over));
  }

  private async fetchResource({ to, isCollection }: Link, root: Json, signal: AbortSignal): Promise<Fetched> {
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
    return { path: plain, answer: await this.controller.get(plain, signal, this.cached.get(plain)?.etag) };
  }

  /** Polls the resources of these tiers again, except those that reports cover. @throws if nothing answers */
  async refresh(tiers: readonly Tier[], signal: AbortSignal): Promise<void> {
    const isWhole = tiers.includes('standing');
    const due = [...this.cached].filter(
      ([path, { tier }]) => tiers.includes(tier) && (isWhole || !this.skippedResources.has(path)),
    );
    const round = new Round(this.remark, this.missing);
    this.bytes = [...this.cached.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    let answered = 0;
    await round.all(due, signal, async ([path, known], going) => {
      // The ETag of a collection does not cover its members.
      const etag = path.includes('?') ? '' : known.etag;
      const answer = await this.controller.get(path, going, etag);
      answered++;
      if (answer.doc === undefined) this.cached.set(path, { ...known, requested_ms: answer.requested_ms });
      else this.replace(path, known, answer.doc, answer);
    });
    if (due.length > 0) round.end(answered);
    if (isWhole) this.skippedResources = this.skippedNow();
  }

  /** Stores a newer response, unless the total size limit is exceeded. */
  private replace(path: string, known: CachedResource, doc: Json, { etag, requested_ms, bytes }: Answer): void {
    const sum = this.bytes - known.bytes + bytes;
    if (sum > this.limits.bytes && bytes > known.bytes)
      return this.remark(
        `responses have grown beyond ${Math.round(this.limits.bytes / 1_048_576)} MiB in total: ${path} is not updated`,
      );
    this.bytes = sum;
    this.cached.set(path, { ...known, doc: fitted(doc, known.room).doc, etag, requested_ms, bytes });
  }

  /** Stores a pushed resource: a metric report of the event stream. */
  put(doc: Json, requested_ms: number): void {
    const path = this.controller.own(textOf(doc['@odata.id']));
    if (path === undefined) return;
    const known = this.cached.get(path);
    if (!known && this.pushed.size >= MOST_PUSHED)
      return this.remark(`more than ${MOST_PUSHED} unlinked metric reports arrived: the others are left out`);
    if (!known) this.pushed.add(path);
    this.cached.set(path, {
      doc,
      etag: '',
      requested_ms,
      tier: tierOf(doc),
      bytes: known?.bytes ?? 0,
      room: this.limits.members,
    });
  }

  /**
   * Adds all to a tree, each with its request time. Of two copies (a report can also be in a collection) the newer
   * wins.
   */
  addTo(tree: ResourceTree, problems: TreeProblems): void {
    const offset_ms = this.controller.clock.offset_ms;
    const newestFirst = [...this.cached].sort(([, a], [, b]) => b.requested_ms - a.requested_ms);
    for (const [path, { doc, requested_ms: asked_ms }] of newestFirst)
      tree.addDocument(doc, { path }, problems, BigInt(Math.round(asked_ms + offset_ms)) * 1_000_000n);
  }

  /** Resources of a type, also inside expanded collections. */
  *ofType(type: string): Generator<Json> {
    for (const { doc } of this.cached.values())
      for (const one of [doc, ...objectsOf(doc['Members']).filter(isExpanded)]) if (typeOf(one) === type) yield one;
  }

  /** When a resource, or the collection that contains it, was last requested. */
  requestTimeOf(id: string): number | undefined {
    for (const { doc, requested_ms: asked_ms } of this.cached.values())
      if (
        doc['@odata.id'] === id ||
        objectsOf(doc['Members']).some((one) => isExpanded(one) && one['@odata.id'] === id)
      )
        return asked_ms;
    return undefined;
  }

  /** Paths of the log entries. */
  logs(): readonly string[] {
    return [...this.ofType('LogService')].map((doc) => linkOf(doc['Entries'])).filter((link) => link !== '');
  }

  /** Sensors that fresh metric reports cover, and resources that only repeat polled sensors. */
  private skippedNow(): ReadonlySet<string> {
    const reported = this.reportedNow();
    const sensors = new Set([...this.ofType('Sensor')].map((doc) => normalizeId(textOf(doc['@odata.id']))));
    const skippedResources = new Set<string>();
    for (const [path, { doc }] of this.cached) {
      const members = objectsOf(doc['Members']).filter(isExpanded);
      const listed = members.length > 0 ? members : [doc];
      const isReported = listed.every((one) => reported.has(normalizeId(textOf(one['@odata.id']))));
      const isRepeated = REPEATING.test(typeOf(doc)) && excerptsIn(doc).every((source) => sensors.has(source));
      if (isReported || isRepeated) skippedResources.add(path);
    }
    return skippedResources;
  }

  private reportedNow(): ReadonlySet<string> {
    const now_ms = steadyNow() + this.controller.clock.offset_ms;
    const reported = new Set<string>();
    for (const report of this.ofType('MetricReport')) {
      if (!(Math.abs(Date.parse(textOf(report['Timestamp'])) - now_ms) < FRESH_MS)) continue;
      for (const value of objectsOf(report['MetricValues']))
        reported.add(normalizeId(textOf(value['MetricProperty']).replace(/#.*$/, '')));
    }
    return reported;
  }
}

interface Fetched {
  readonly path: string;
  readonly answer: Answer;
}

/** One walk over the links of a controller. */
interface Learning {
  readonly root: Json;
  readonly found: Map<string, CachedResource>;
  readonly visited: Set<string>;
  readonly budget: Budget;
}

const cutOff = (collection: string, fittedAnswer: number, stated: number | undefined, seen: number): string => {
  const all =
    stated !== undefined && stated > fittedAnswer
      ? String(stated)
      : seen > fittedAnswer
        ? `${seen} or more`
        : `more than ${fittedAnswer}`;
  return `of ${all} members of ${normalizeId(collection)} the first ${fittedAnswer} are followed`;
};

/** Sensors that resources show, but that are neither cached nor members of a cached collection. */
function unlisted(found: ReadonlyMap<string, CachedResource>): readonly string[] {
  const shown = new Set<string>();
  const cached = new Set<string>();
  for (const { doc } of found.values()) {
    for (const source of sourcesIn(doc)) if (!source.includes('#')) shown.add(normalizeId(source));
    for (const one of [doc, ...objectsOf(doc['Members'])]) cached.add(normalizeId(textOf(one['@odata.id'])));
  }
  return [...shown].filter((id) => !cached.has(id));
}

const isInFull = (doc: Json | undefined): boolean =>
  doc !== undefined && (linksOf(doc['Members']).length === 0 || objectsOf(doc['Members']).every(isExpanded));

import { isDeepStrictEqual } from 'node:util';
import { dump, load } from 'js-yaml';
import { z } from 'zod';
import { fail } from '../../../model/problem.ts';
import type { PlannedFeed, PlanProblem, PlanReading } from '../../../model/storage/feed.ts';
import type { AnyFeedKind } from '../feed-kind.ts';
import { type PushPlan, pushSchema } from '../push/push-plan.ts';
import { isWatchReference, type WatchedFolders } from '../watched-files/watched-folders.ts';
import { withFeeds } from './edited-plan.ts';
import { parseYaml } from './parse-yaml.ts';
import type { Shape } from './plan-form.ts';

const MOST_FEEDS = 1000;
/** Prefix of the environment variables that a window's plan may name. */
const OWN_VARIABLES = 'FAULTLINE_';

/** A feed of a plan after its kind's schema checked it. */
export type CheckedFeed = { readonly kind: string };

interface CheckedPlan {
  readonly feeds: readonly CheckedFeed[];
  readonly push: PushPlan;
}

/** Capture plans as YAML files. */
export class PlanFile {
  private readonly kinds: readonly AnyFeedKind[];
  /** null: the plan may name files and programs of this machine. */
  private readonly folders: WatchedFolders | null;
  private readonly localNames: ReadonlyMap<string, readonly LocalName[]>;
  private readonly schema: z.ZodType<CheckedPlan>;

  /** @param folders that a plan may watch, of a plan that may name no files and programs of this machine; null: it may */
  constructor(kinds: readonly AnyFeedKind[], folders: WatchedFolders | null) {
    this.kinds = kinds;
    this.folders = folders;
    this.localNames = new Map(folders === null ? [] : kinds.map((kind) => [kind.kind, localNamesOf(kind)]));
    const plans = kinds.map(({ plan }) => plan) as unknown as [z.ZodObject<{ kind: z.ZodLiteral<string> }>];
    this.schema = z.strictObject({
      feeds: z.array(z.discriminatedUnion('kind', plans)).min(1).max(MOST_FEEDS),
      push: pushSchema,
    });
  }

  /** @throws ProblemError plan.invalid with the place of the first error */
  checked(text: string): CheckedPlan {
    const value = parseYaml(text);
    const parsed = this.schema.safeParse(value);
    const [forbidden] = this.forbidden(value);
    if (forbidden) fail('plan.names_files', `the plan is not valid: ${forbidden.path}: ${forbidden.message}`);
    if (parsed.success) return { ...parsed.data, feeds: parsed.data.feeds.map((feed) => this.withPaths(feed)) };
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') ?? '';
    const message = issue?.message ?? 'unknown';
    return fail('plan.invalid', `the plan is not valid: ${place === '' ? '' : `${place}: `}${message}`, {
      hint: `a plan lists feeds, each with its kind: ${this.kinds.map(({ kind }) => kind).join(', ')}`,
    });
  }

  read(text: string): PlanReading {
    let value: unknown;
    try {
      value = parseYaml(text);
    } catch (error) {
      return { text, feeds: null, problems: [{ feed: null, path: '', message: (error as Error).message }] };
    }
    const shape = shapeSchema.safeParse(value);
    const feeds = shape.success ? (shape.data.feeds ?? []) : null;
    return { text, feeds, problems: this.problems(value) };
  }

  /** @param before the old text; all but its feeds stays, or the text states that its comments are lost */
  write(feeds: readonly PlannedFeed[], before: string): PlanReading {
    const text = edited(before, feeds) ?? writtenAnew(before, feeds);
    return { text, feeds, problems: this.problems(parseYaml(text)) };
  }

  private problems(value: unknown): PlanProblem[] {
    const parsed = this.schema.safeParse(value);
    const wrong = [...this.forbidden(value), ...(parsed.success ? [] : parsed.error.issues.map(problemOf))];
    if (wrong.length > 0 || !parsed.success) return wrong;
    return this.sameNames(parsed.data.feeds);
  }

  private forbidden(value: unknown): PlanProblem[] {
    const shape = shapeSchema.safeParse(value);
    const push = this.folders === null || shape.data?.push === undefined ? [] : [PUSH_FORBIDDEN];
    const named = (shape.data?.feeds ?? []).flatMap((feedPlan, feed) =>
      (this.localNames.get(String(feedPlan['kind'])) ?? [])
        .filter(({ path }) => valueAt(feedPlan, path) !== undefined && valueAt(feedPlan, path) !== null)
        .filter(({ watched }) => watched === undefined || !this.isOffered(feedPlan['folder']))
        .map(({ path }) => ({ feed, path, message: this.whyForbidden(valueAt(feedPlan, path)) })),
    );
    const variables = this.folders === null ? [] : (shape.data?.feeds ?? []).flatMap(foreignVariables);
    return [...push, ...named, ...variables];
  }

  private isOffered(folder: unknown): boolean {
    return isWatchReference(folder) && this.folders?.pathOf(folder) !== undefined;
  }

  private whyForbidden(value: unknown): string {
    return isWatchReference(value) ? NOT_OFFERED : 'only a plan that is run from the command line may name this';
  }

  /** Folders are where their references lead. */
  private withPaths(feed: CheckedFeed): CheckedFeed {
    if (!('folder' in feed) || !isWatchReference(feed.folder)) return feed;
    const folder = this.folders?.pathOf(feed.folder) ?? fail('plan.invalid', `${feed.folder}: ${NOT_OFFERED}`);
    return Object.assign({}, feed, { folder });
  }

  private sameNames(feeds: readonly CheckedFeed[]): PlanProblem[] {
    const names = feeds.map((feed) => this.open(feed, feeds).name);
    return names.flatMap((name, feed) =>
      names.indexOf(name) === feed
        ? []
        : [{ feed, path: 'name', message: `another feed has the name ${name}: give each feed its own name` }],
    );
  }

  /** @param feeds all feeds of the plan */
  open(feed: CheckedFeed, feeds: readonly CheckedFeed[] = []) {
    const sameKind = feeds.filter(({ kind }) => kind === feed.kind);
    return this.of(feed).open(feed, sameKind);
  }

  of({ kind }: CheckedFeed): AnyFeedKind {
    return this.kinds.find((one) => one.kind === kind)!;
  }
}

const NOT_OFFERED =
  'this folder is not offered to plans here: choose it again, or write its path in a plan for the command line';

/** A path or a pattern of this machine; dots separate the names of nested groups, as in a form. */
interface LocalName {
  readonly path: string;
  readonly watched: Shape['watched'] | undefined;
}

function localNamesOf({ plan }: AnyFeedKind): LocalName[] {
  return localPathsOf(z.toJSONSchema(plan, { io: 'input', unrepresentable: 'any' }) as Shape);
}

function localPathsOf({ properties = {}, anyOf = [] }: Shape): LocalName[] {
  const own = Object.entries(properties).flatMap(([name, shape]): LocalName[] =>
    shape.local || shape.anyOf?.some((one) => one.local)
      ? [{ path: name, watched: shape.watched }]
      : localPathsOf(shape).map(({ path, watched }) => ({ path: `${name}.${path}`, watched })),
  );
  return [...own, ...anyOf.flatMap(localPathsOf)];
}

/** Environment variables without the prefix: a web page must not read others. */
export function foreignVariables(given: unknown, feed: number): PlanProblem[] {
  const message = `only a plan that is run from the command line may name a variable that does not begin with ${OWN_VARIABLES}`;
  const found = (value: unknown, path: readonly string[]): PlanProblem[] => {
    if (typeof value === 'string')
      return value.startsWith('env:') && !value.startsWith(`env:${OWN_VARIABLES}`)
        ? [{ feed, path: path.join('.'), message }]
        : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => found(inner, [...path, name]));
  };
  return found(given, []);
}

/** The value at a path of a plan; undefined if a group on the path is missing. */
function valueAt(given: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], given);
}

/** The parts of a plan that a form can show, even if others are invalid. */
const shapeSchema = z.object({
  feeds: z.array(z.record(z.string(), z.unknown())).max(MOST_FEEDS).nullable(),
  push: z.unknown().optional(),
});
/** A plan from elsewhere must not send findings away from this machine. */
const PUSH_FORBIDDEN: PlanProblem = {
  feed: null,
  path: 'push',
  message: 'only a plan that is run from the command line may push',
};

function problemOf({ path, message, ...issue }: z.core.$ZodIssue): PlanProblem {
  const [feeds, feed, ...rest] = path;
  const unknown = 'keys' in issue ? `there is no ${issue.keys.join(', ')}` : message;
  if (feeds !== 'feeds' || typeof feed !== 'number') return { feed: null, path: path.join('.'), message: unknown };
  return { feed, path: rest.join('.'), message: plainMessage(unknown) };
}

/** Of the library that checks the plan, in words for people. */
const plainMessage = (message: string): string =>
  message.replace(/^Invalid input: /, '').replace(/^expected \w+, received undefined$/, 'is needed');

/** null: the feeds cannot be replaced in this text. */
function edited(before: string, feeds: readonly PlannedFeed[]): string | null {
  try {
    const text = withFeeds(before, feeds);
    const wanted = { ...(load(before) as object), feeds };
    // Compare values only, not prototypes.
    return text !== null && isDeepStrictEqual(structuredClone(load(text)), structuredClone(wanted)) ? text : null;
  } catch {
    // No YAML, or places that cannot be edited one by one: anchors, several documents.
    return null;
  }
}

const WRITTEN_ANEW = '# Written anew: the comments of the text before could not be kept.\n';

function writtenAnew(before: string, feeds: readonly PlannedFeed[]): string {
  const text = dump({ ...othersOf(before), feeds: feeds.map((feed) => ({ ...feed })) }, { lineWidth: -1 });
  return before.includes('#') ? WRITTEN_ANEW + text : text;
}

/** What a plan holds besides feeds; nothing if it cannot be read. */
function othersOf(text: string): object {
  try {
    const plan = load(text);
    return typeof plan === 'object' && plan !== null && !Array.isArray(plan) ? plan : {};
  } catch {
    return {};
  }
}

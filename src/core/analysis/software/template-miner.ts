import { software } from './parameters.ts';

/**
 * Log templates by a fixed-depth parse tree: P. He, J. Zhu, Z. Zheng and M. R. Lyu, "Drain: An Online Log Parsing Approach
 * with Fixed Depth Tree", ICWS 2017. A line is masked, cut into tokens, led by its length and first tokens to a short
 * list of templates, and joins the most similar one or starts a new one. Time per line does not depend on how many were
 * read; memory is bounded by `mostTemplates`.
 */
export interface MinerOptions {
  /** Tokens that lead down the tree. */
  readonly depth: number;
  /** Share of equal tokens from which a line belongs to a template. */
  readonly similarity: number;
  /** Children of one node before the rest share one. */
  readonly mostChildren: number;
  readonly mostTemplates: number;
}

export interface Template {
  readonly id: number;
  tokens: string[];
}

interface Node {
  readonly children: Map<string, Node>;
  readonly templates: Template[];
}

const ANY = '<*>';
export class TemplateMiner {
  private readonly options: MinerOptions;
  private readonly root = newNode();
  private readonly all: Template[] = [];

  constructor(options: Partial<MinerOptions> = {}) {
    this.options = {
      depth: software.minerDepth,
      similarity: software.minerSimilarityShare,
      mostChildren: software.minerChildren,
      mostTemplates: software.minerTemplates,
      ...options,
    };
  }

  get count(): number {
    return this.all.length;
  }

  /** The number of the template that a line belongs to; -1 if it is new and the limit is reached. */
  add(text: string): number {
    const tokens = tokenise(text);
    const leaf = this.descend(tokens);
    const found = closest(leaf.templates, tokens, this.options.similarity);
    if (found) {
      generalise(found, tokens);
      return found.id;
    }
    if (this.all.length >= this.options.mostTemplates) return -1;
    const template = { id: this.all.length, tokens };
    this.all.push(template);
    leaf.templates.push(template);
    return template.id;
  }

  /** The template as text, with `<*>` for variables. */
  textOf(id: number): string {
    return (this.all[id]?.tokens ?? []).join('').trim();
  }

  private descend(tokens: readonly string[]): Node {
    const { depth, mostChildren } = this.options;
    let node = child(this.root, String(tokens.length), Number.POSITIVE_INFINITY);
    for (const token of tokens.slice(0, depth)) node = child(node, token.includes(ANY) ? ANY : token, mostChildren);
    return node;
  }
}

const newNode = (): Node => ({ children: new Map(), templates: [] });

function child(node: Node, key: string, most: number): Node {
  const found = node.children.get(key);
  if (found) return found;
  const name = node.children.size < most - 1 ? key : ANY;
  const other = node.children.get(name);
  if (other) return other;
  const made = newNode();
  node.children.set(name, made);
  return made;
}

function closest(templates: readonly Template[], tokens: readonly string[], least: number): Template | null {
  let best: Template | null = null;
  let most = least * tokens.length;
  for (const template of templates) {
    let equal = 0;
    for (let i = 0; i < tokens.length; i++) if (template.tokens[i] === tokens[i]) equal++;
    if (equal >= most && (best === null || equal > most)) {
      best = template;
      most = equal;
    }
  }
  return best;
}

function generalise(template: Template, tokens: readonly string[]): void {
  for (let i = 0; i < tokens.length; i++) {
    const known = template.tokens[i]!;
    if (known === tokens[i] || known.startsWith(ANY)) continue;
    template.tokens[i] = ANY + trailing(known);
  }
}

/** The delimiters at a token's end; a mask is none, although it ends like one. */
const trailing = (token: string): string => /[\s=:,;|()[\]{}"'<>]*$/.exec(token.replaceAll(ANY, '*'))?.[0] ?? '';

/** A word with the delimiters that follow it, so that the tokens of a line joined are the line. */
function tokenise(text: string): string[] {
  const tokens =
    mask(text).match(
      /(?:<\*>|[^\s=:,;|()[\]{}"'<>])+[\s=:,;|()[\]{}"'<>]*?(?=<\*>|[^\s=:,;|()[\]{}"'<>]|$)|[\s=:,;|()[\]{}"'<>]+/g,
    ) ?? [];
  return tokens.length <= software.minerTokens ? tokens : [...tokens.slice(0, software.minerTokens), '…'];
}

/** Patterns of variables, in matching order. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, ANY],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, ANY],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, ANY],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, ANY],
  [/\b(?:0x[\da-f]+|(?=[\da-f]*\d)[\da-f]{6,})\b/gi, ANY],
  // Two or more steps of a path; the first segment stays because it distinguishes routes.
  [/(?<=\/[\w.-]+)(?:\/[\w.@%+~<*>-]+)+/g, `/${ANY}`],
];

/** HTTP and gRPC codes are kept; other numbers are variables. */
function mask(text: string): string {
  let masked = text;
  for (const [pattern, by] of masks) masked = masked.replace(pattern, by);
  masked = masked.replace(/\d+(?:\.\d+)?/g, (number, at: number) => (isCode(masked, at, number) ? number : ANY));
  return masked.replace(/<\*>(?:[.:,/-]?<\*>)+/g, ANY);
}

/** Whether a number is a status code: three digits after a keyword. */
const isCode = (text: string, at: number, number: string): boolean =>
  number.length === 3 && /(?:status|code|HTTP\/[\d.<*>]+"?)\W{1,3}$/i.test(text.slice(Math.max(0, at - 14), at));

import type { ScrapedSeries, ScrapedType } from '../series-meaning/scraped.ts';

/** What a scrape declares about one metric family. */
export interface Family {
  readonly name: string;
  type: ScrapedType;
  typed: boolean;
  unit: string;
  help: string;
  hasSamples: boolean;
}

/** The part of a distribution or counter that a sample has; '' is the sample itself. */
export type Part = '' | 'bucket' | 'sum' | 'count' | 'created';

const PART = /^(.+)_(bucket|sum|count|created|gsum|gcount)$/;
const partsOf: Readonly<Partial<Record<ScrapedType, readonly string[]>>> = {
  histogram: ['bucket', 'sum', 'count', 'created'],
  gaugehistogram: ['bucket', 'gsum', 'gcount'],
  summary: ['sum', 'count', 'created'],
  counter: ['created'],
};
const MAX_FAMILIES = 100_000;

/** The families of a file; declarations are valid until repeated. */
export class Families {
  private readonly known = new Map<string, Family>();

  /** The family of that name, created if new. */
  of(name: string): Family {
    let family = this.known.get(name);
    if (!family) {
      if (this.known.size >= MAX_FAMILIES) this.known.clear();
      family = { name, type: 'unknown', typed: false, unit: '', help: '', hasSamples: false };
      this.known.set(name, family);
    }
    return family;
  }

  /** Forgets that samples were seen: another scrape begins. */
  nextScrape(): void {
    for (const family of this.known.values()) family.hasSamples = false;
  }

  /** Which family a sample belongs to, and which part of it the sample is. */
  place(name: string, labels: ReadonlyMap<string, string>): { readonly family: Family; readonly part: Part } {
    const own = this.known.get(name);
    if (own?.typed) return { family: own, part: '' };
    const match = PART.exec(name);
    const [, stem = '', ending = ''] = match ?? [];
    const base = this.known.get(stem);
    if (base?.typed && partsOf[base.type]?.includes(ending))
      return { family: base, part: ending.replace(/^g/, '') as Part };
    // Without a declaration only a bucket's label shows that this is a histogram.
    if (ending === 'bucket' && labels.has('le')) {
      const family = this.of(stem);
      family.type = 'histogram';
      family.typed = true;
      return { family, part: 'bucket' };
    }
    // OpenMetrics declares `requests` and samples `requests_total`, info `build` and `build_info`.
    const declared = this.known.get(name.replace(/_(total|info)$/, ''));
    if (declared?.typed && (declared.type === 'counter' || declared.type === 'info'))
      return { family: declared, part: '' };
    return { family: own ?? this.of(name), part: '' };
  }
}

/** The series of a sample, named as the sample is; of a distribution, as its family is. */
export const seriesOf = (family: Family, name: string, labels: ReadonlyMap<string, string>): ScrapedSeries => ({
  name,
  labels,
  type: family.type,
  unit: family.unit,
  help: family.help,
});

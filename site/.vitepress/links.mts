import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

interface Token {
  readonly type: string;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** Where a link leads that is written for a reader of the repository; null: to a source, which is no part of the site. */
export function siteLink(href: string, page: string, docs: string): string | null {
  if (/^(\w+:|#|\/)/.test(href)) return href;
  // A page of README.md that is included links from the root of the repository.
  if (href.startsWith('docs/')) return `./${href.slice('docs/'.length)}`;
  const [path = ''] = href.split('#');
  const target = join(docs, dirname(page), path);
  const isOutside = relative(docs, target).startsWith('..');
  const isSource = isOutside ? existsSync(target) : !existsSync(target) && existsSync(join(docs, '..', path));
  return isSource ? null : href;
}

/** The same line without links that lead nowhere on the site: their texts stay. */
export function withSiteLinks<T extends Token>(children: readonly T[], page: string, docs: string): T[] {
  let isDropped = false;
  return children.filter((token) => {
    if (token.type === 'link_close') return !isDropped;
    if (token.type !== 'link_open') return true;
    const link = siteLink(token.attrGet('href') ?? '', page, docs);
    if (link !== null) token.attrSet('href', link);
    isDropped = link === null;
    return !isDropped;
  });
}

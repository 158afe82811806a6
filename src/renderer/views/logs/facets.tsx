import type { LogCondition, LogFacet, LogFacets } from '../../../model/contract/index.ts';
import { formatShare } from '../../draw/text/format-difference.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { toggleCondition } from '../../state/log-filter.ts';
import { messages } from './messages.ts';

const texts = messages.facets;

/** `sender`, `level`, or the key of an attribute. */
export const fieldTitle = (field: string): string =>
  field === 'from' ? texts.from : field === 'level' ? texts.level : field.replace(/^(resource|attribute) /, '');

/** A sender without its kind. */
export const valueTitle = (field: string, value: string): string =>
  value === '' ? texts.empty : field === 'from' ? value.slice(value.indexOf(':') + 1) : value;

interface FacetsProps {
  readonly facets: LogFacets;
  readonly where: readonly LogCondition[];
}

/** Fields of the lines that are found, each with its most frequent values; a value narrows to it. */
export function Facets({ facets: { facets, share }, where }: FacetsProps) {
  return (
    <aside className="log-facets" aria-label={texts.title} data-testid="log-facets">
      {share > 1 ? <p className="muted">{texts.estimated(share)}</p> : null}
      {facets.length === 0 ? <p className="muted">{texts.none}</p> : null}
      {facets.map((facet) => (
        <Facet key={facet.field} facet={facet} where={where} />
      ))}
    </aside>
  );
}

function Facet({ facet, where }: { readonly facet: LogFacet; readonly where: readonly LogCondition[] }) {
  const { field, values, lines, different } = facet;
  const shown = values.reduce((sum, one) => sum + one.lines, 0);
  return (
    <details open>
      <summary title={field.startsWith('resource ') ? texts.ofResource(fieldTitle(field)) : fieldTitle(field)}>
        <span className="ellipsis">{fieldTitle(field)}</span>
        {different > values.length ? <span className="muted">{texts.different(formatCount(different))}</span> : null}
      </summary>
      <ul>
        {values.map(({ value, lines: own }) => (
          <li key={value}>
            <button
              type="button"
              className="log-facet-value"
              aria-pressed={where.some((one) => one.field === field && one.value === value)}
              title={`${value || texts.empty}\n${texts.lines(formatCount(own), formatShare(own / Math.max(1, lines)))}`}
              onClick={() => toggleCondition({ field, value })}
            >
              <span className="ellipsis">{valueTitle(field, value)}</span>
              <span className="number muted">{formatCount(own)}</span>
              <span className="log-facet-bar" style={{ width: `${(100 * own) / Math.max(1, lines)}%` }} />
            </button>
          </li>
        ))}
      </ul>
      {lines > shown ? <p className="muted others">{texts.others(formatCount(lines - shown))}</p> : null}
    </details>
  );
}

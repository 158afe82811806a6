import type { CSSProperties } from 'react';
import { usePreferences } from '../../state/preferences.ts';

/** Widths of the names, in percent: lines of one length look like data. */
const NAMES = [62, 48, 55, 40, 66, 52, 44, 58, 36, 60, 50, 46];

/** The place of lanes that are being loaded. Nothing in it is data, so nothing is read out. */
export function LaneSkeleton() {
  const labelWidth = usePreferences((state) => state.labelWidth);
  return (
    <div className="lane-skeleton" aria-hidden="true" data-testid="lane-skeleton">
      {NAMES.map((width) => (
        <div key={width} style={{ gridTemplateColumns: `${labelWidth}px minmax(0, 1fr)` }}>
          <i style={{ '--width': `${width}%` } as CSSProperties} />
          <i className="skeleton-lane" />
        </div>
      ))}
    </div>
  );
}

import { useMemo, useState } from 'react';
import type { IncidentView } from '../../../model/contract/index.ts';
import { onTheWay } from '../../../model/incident/chain-folds.ts';
import { foldKey } from '../../draw/tables/row-tree.ts';
import { type CauseMetric, type GroupRow, type Layout, layoutRows } from '../../draw/timeline/row-layout.ts';
import { useCase } from '../../state/case-state.ts';
import { useFocus } from '../../state/focus.ts';
import { useIncident, useInfo, useLanes } from '../../state/known.ts';
import { prefer, usePreferences } from '../../state/preferences.ts';

export interface Folding {
  readonly layout: Layout;
  /** The lane of the selected step of the chain; null if no step is selected. */
  readonly revealed: string | null;
  readonly toggleLayer: (layer: string) => void;
  readonly toggleGroup: (group: GroupRow) => void;
  readonly toggleMore: (layer: string) => void;
  readonly toggleTall: (lane: string) => void;
  readonly togglePin: (lane: string) => void;
  readonly isPinned: (lane: string) => boolean;
  /** How many lanes of the case are hidden. */
  readonly hidden: number;
}

const toggled = (set: ReadonlySet<string>, key: string): ReadonlySet<string> => {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
};

const none: readonly string[] = [];

function causeOf(view: IncidentView | null): CauseMetric | null {
  const [first] = view?.incident.hypotheses ?? [];
  if (!first?.subject || first.metric === null) return null;
  return { entityKey: `${first.subject.kind}:${first.subject.id}`, metric: first.metric };
}

/** State of folded layers and tall lanes, with the resulting rows. */
export function useFolding(): Folding {
  const all = useLanes();
  const missing = useInfo()?.layers_missing ?? none;
  const search = useCase((state) => state.search);
  const incident = useIncident(useFocus((focus) => focus.incident));
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [tall, setTall] = useState<ReadonlySet<string>>(new Set());
  const level = usePreferences((state) => state.laneLevel);
  const selected = useFocus((focus) => focus.selected);
  const revealed = incident?.steps.find(({ ref }) => ref === selected)?.lane ?? null;
  const name = useCase((state) => state.name ?? '');
  const pins = usePreferences((state) => state.pinned[name] ?? none);
  const hides = usePreferences((state) => state.hidden[name] ?? none);
  const lanes = useMemo(() => {
    const hidden = new Set(hides.filter((id) => id !== revealed));
    return hidden.size === 0 ? all : all.filter(({ id }) => !hidden.has(id));
  }, [all, hides, revealed]);
  // Step 1 and the impact are on screen together, however many lanes are between them.
  const impact = incident?.steps.at(-1)?.lane ?? null;
  const [unpinned, setUnpinned] = useState<string | null>(null);
  const pinned = useMemo(
    () => new Set(impact === null || impact === unpinned ? pins : [...pins, impact]),
    [pins, impact, unpinned],
  );
  const layout = useMemo(() => {
    const steps = incident?.steps ?? [];
    const way = onTheWay(steps);
    const chain = steps.map(({ lane, type }, at) => ({ lane, type, isAside: !way.has(at) }));
    return layoutRows({
      lanes,
      missing,
      chain,
      cause: causeOf(incident),
      collapsed,
      expanded,
      folded,
      tall,
      pinned,
      search,
      level,
      revealed,
    });
  }, [lanes, missing, incident, collapsed, expanded, folded, tall, pinned, search, level, revealed]);
  return {
    layout,
    revealed,
    toggleLayer: (layer) => setCollapsed((set) => toggled(set, layer)),
    toggleGroup: ({ layer, path }) => setFolded((set) => toggled(set, foldKey(layer, path))),
    toggleMore: (layer) => setExpanded((set) => toggled(set, layer)),
    toggleTall: (lane) => setTall((set) => toggled(set, lane)),
    togglePin: (lane) => {
      if (lane === impact && !pins.includes(lane)) setUnpinned(unpinned === lane ? null : lane);
      else prefer({ pinned: { ...usePreferences.getState().pinned, [name]: [...toggled(new Set(pins), lane)] } });
    },
    isPinned: (lane) => pinned.has(lane),
    hidden: all.length - lanes.length,
  };
}

import { useMemo, useRef, useState } from 'react';
import type { Topology } from '../../../model/contract/index.ts';
import { useFocus } from '../../state/focus.ts';
import { usePreferences } from '../../state/preferences.ts';
import { Progress } from '../../widgets/progress.tsx';
import { Doubts } from './doubts.tsx';
import { EntityPanel } from './entity-panel.tsx';
import type { MapItem } from './map-model.ts';
import { messages } from './messages.ts';
import { OneLineDiagram } from './one-line-diagram.tsx';
import { PowerMapView, useRevealed } from './power-map.tsx';
import { Proposals } from './proposals.tsx';
import { RackMap } from './rack-map.tsx';
import { useRegionTool } from './region-tool.ts';
import { Scrubber } from './scrubber.tsx';
import { Toolbar } from './toolbar.tsx';
import { useCamera } from './use-camera.ts';
import { usePowerMap } from './use-map.ts';
import { useReadings } from './use-readings.ts';
import { useStates } from './use-states.ts';
import './topology.css';

const none: ReadonlySet<string> = new Set();
/** Members shown of an unfolded stack; the others stay folded. */
const MOST_UNFOLDED = 80;

export function TopologyView({ topology }: { readonly topology: Topology }) {
  const which = usePreferences((state) => state.topologyMap);
  const selected = useFocus((focus) => focus.entities);
  const [unfolded, setUnfolded] = useState(none);
  const map = usePowerMap(topology, unfolded);
  const nodes = useMemo(
    () => (which === 'power' ? map.model.items.flatMap(({ members }) => members) : topology.nodes),
    [which, map.model, topology],
  );
  const states = useStates(nodes);
  const readings = useReadings(nodes);
  const svg = useRef<SVGSVGElement>(null);
  const control = useCamera(svg, map.layout);
  const region = useRegionTool(svg, control, map);
  useRevealed(map, control);
  const involved = useMemo(() => new Set(map.chain), [map.chain]);
  const unfold = ({ members }: MapItem) =>
    setUnfolded((before) => new Set([...before, ...members.slice(0, MOST_UNFOLDED).map(({ key }) => key)]));
  return (
    <div className="topology">
      <Toolbar
        control={control}
        svg={() => svg.current}
        folded={unfolded.size === 0}
        onFold={() => setUnfolded(none)}
        tool={region.tool}
        onTool={region.setTool}
      />
      <Doubts doubts={topology.doubts} />
      <Proposals topology={topology} />
      {which === 'racks' ? (
        <RackMap topology={topology} map={map} states={states} readings={readings} involved={involved} />
      ) : which === 'oneline' ? (
        <OneLineDiagram topology={topology} map={map} states={states} readings={readings} svg={svg} />
      ) : map.model.items.length === 0 ? (
        <EmptyMap />
      ) : (
        <div className="map-space">
          <PowerMapView
            topology={topology}
            map={map}
            states={states}
            readings={readings}
            svg={svg}
            control={control}
            onUnfold={unfold}
          />
          {states.slow ? <Progress label={messages.map.loading} /> : null}
          {map.model.hidden > 0 ? <p className="map-hidden muted">{messages.map.hidden(map.model.hidden)}</p> : null}
        </div>
      )}
      <EntityPanel topology={topology} selected={selected} />
      <Scrubber />
    </div>
  );
}

function EmptyMap() {
  return <p className="empty muted">{messages.map.none}</p>;
}

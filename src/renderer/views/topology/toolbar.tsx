import { useRef } from 'react';
import { problemOf } from '../../client/problem-of.ts';
import { redo, undo, useAnnotations } from '../../state/annotations.ts';
import { useCase } from '../../state/case-state.ts';
import { useIncidents } from '../../state/known.ts';
import { prefer, usePreferences } from '../../state/preferences.ts';
import { saveFile } from '../../state/save-file.ts';
import { showError } from '../../state/toasts.ts';
import { mapToPng, mapToSvg } from './export-map.ts';
import { messages } from './messages.ts';
import type { CameraControl } from './use-camera.ts';

export interface ToolbarProps {
  readonly control: CameraControl;
  readonly svg: () => SVGSVGElement | null;
  readonly folded: boolean;
  readonly onFold: () => void;
  readonly tool: 'region' | null;
  readonly onTool: (tool: 'region' | null) => void;
}

export function Toolbar(props: ToolbarProps) {
  const map = usePreferences((state) => state.topologyMap);
  return (
    <div className="map-toolbar" role="toolbar" aria-label={messages.toolbar.map}>
      <Switch
        label={messages.toolbar.map}
        value={map}
        choices={[
          ['power', messages.toolbar.power],
          ['oneline', messages.toolbar.oneLine],
          ['racks', messages.toolbar.racks],
        ]}
        onChange={(topologyMap) => prefer({ topologyMap })}
      />
      <Scope />
      {map === 'power' ? <PowerTools {...props} /> : null}
      <span className="spring" />
      <History />
      {map !== 'racks' ? <Export svg={props.svg} control={props.control} /> : null}
    </div>
  );
}

interface SwitchProps<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly choices: readonly (readonly [V, string])[];
  readonly onChange: (value: V) => void;
}

function Switch<V extends string>({ label, value, choices, onChange }: SwitchProps<V>) {
  return (
    <fieldset className="switch" aria-label={label}>
      {choices.map(([each, title]) => (
        <button key={each} type="button" className="plain" aria-pressed={each === value} onClick={() => onChange(each)}>
          {title}
        </button>
      ))}
    </fieldset>
  );
}

function Scope() {
  const scope = usePreferences((state) => state.topologyScope);
  const hasIncident = (useIncidents()?.length ?? 0) > 0;
  if (!hasIncident) return null;
  return (
    <Switch
      label={messages.toolbar.scope}
      value={scope}
      choices={[
        ['incident', messages.toolbar.incident],
        ['all', messages.toolbar.all],
      ]}
      onChange={(topologyScope) => prefer({ topologyScope })}
    />
  );
}

function PowerTools({ control, folded, onFold, tool, onTool }: ToolbarProps) {
  return (
    <>
      <span className="button-group">
        <button
          type="button"
          className="plain"
          aria-label={messages.toolbar.zoomOut}
          title={messages.toolbar.zoomOutTitle}
          onClick={() => control.zoom(1 / 1.3)}
        >
          −
        </button>
        <button
          type="button"
          className="plain"
          aria-label={messages.toolbar.zoomIn}
          title={messages.toolbar.zoomInTitle}
          onClick={() => control.zoom(1.3)}
        >
          +
        </button>
        <button type="button" className="plain" title={messages.toolbar.fitTitle} onClick={() => control.fitAll()}>
          {messages.toolbar.fit}
        </button>
      </span>
      <button
        type="button"
        className="plain"
        aria-pressed={tool === 'region'}
        title={messages.toolbar.regionTitle}
        onClick={() => onTool(tool === 'region' ? null : 'region')}
      >
        {messages.toolbar.region}
      </button>
      {folded ? null : (
        <button type="button" className="plain" onClick={onFold}>
          {messages.toolbar.fold}
        </button>
      )}
    </>
  );
}

function History() {
  const past = useAnnotations((state) => state.past.at(-1));
  const future = useAnnotations((state) => state.future[0]);
  return (
    <span className="button-group">
      <button
        type="button"
        className="plain"
        disabled={!past}
        title={past ? messages.toolbar.undoTitle(past.does) : messages.toolbar.nothingToUndo}
        onClick={() => void undo()}
      >
        {messages.toolbar.undo}
      </button>
      <button
        type="button"
        className="plain"
        disabled={!future}
        title={future ? messages.toolbar.redoTitle(future.does) : messages.toolbar.nothingToRedo}
        onClick={() => void redo()}
      >
        {messages.toolbar.redo}
      </button>
    </span>
  );
}

function Export({ svg, control }: Pick<ToolbarProps, 'svg' | 'control'>) {
  const name = useCase((state) => state.name ?? 'case');
  const busy = useRef(false);
  const save = async (form: 'svg' | 'png') => {
    const element = svg();
    if (!element || busy.current) return;
    busy.current = true;
    const title = messages.export.title(name);
    try {
      const drawing = await control.atFullSize(() => (form === 'svg' ? mapToSvg : mapToPng)(element, title));
      await saveFile(`${name}-map.${form}`, drawing);
    } catch (error) {
      showError(problemOf(error));
    } finally {
      busy.current = false;
    }
  };
  return (
    <span className="button-group">
      <button type="button" data-testid="export-svg" onClick={() => void save('svg')}>
        {messages.export.svg}
      </button>
      <button type="button" data-testid="export-png" onClick={() => void save('png')}>
        {messages.export.png}
      </button>
    </span>
  );
}

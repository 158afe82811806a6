import { useEffect, useState } from 'react';
import { useCase } from '../state/case-state.ts';
import { useFocus } from '../state/focus.ts';
import { prefer, usePreferences } from '../state/preferences.ts';
import { viewsIn } from '../views/index.ts';
import { Splitter } from '../widgets/splitter.tsx';
import { Boundary } from './boundary.tsx';
import { Inspector } from './inspector.tsx';
import { messages } from './messages/window.ts';
import { Rail } from './rail.tsx';
import { StatusBar } from './status-bar.tsx';
import { TopBar } from './top-bar.tsx';

/** Below this width the inspector lies over the view: beside it, no room is left for a chart. */
const NARROW_PX = 1000;

/** The window of an open case: top bar, rail, middle, inspector, drawer, status bar. */
export function Workbench() {
  const id = useCase((state) => state.view);
  const inspectorWidth = usePreferences((state) => state.inspectorWidth);
  const views = viewsIn('main');
  const middle = views.find(({ view }) => view.id === id) ?? views[0];
  const { width } = useWindowSize();
  const side = Math.min(inspectorWidth, Math.max(260, width * 0.5));
  const isNarrow = width < NARROW_PX;
  const [isOver, setOver] = useOver(isNarrow);
  return (
    <div
      className={`workbench${isNarrow ? ' narrow' : ''}`}
      style={{ gridTemplateColumns: `var(--rail) minmax(0, 1fr) ${isNarrow ? 'auto' : `${side}px`}` }}
    >
      <TopBar />
      <Rail />
      <main className="middle" aria-label={middle?.view.title}>
        <div className="middle-view">
          {middle ? (
            <Boundary key={middle.view.id} what={middle.view.title}>
              {middle.view.render(true)}
            </Boundary>
          ) : null}
        </div>
        {middle?.hasRows ? <Drawer /> : null}
      </main>
      {isNarrow ? (
        <button
          type="button"
          className="side-toggle"
          aria-expanded={isOver}
          data-testid="side-toggle"
          onClick={() => setOver(!isOver)}
        >
          {isOver ? messages.inspector.hide : messages.inspector.show}
        </button>
      ) : null}
      <aside
        className="side"
        aria-label={messages.inspector.title}
        hidden={isNarrow && !isOver}
        style={isNarrow ? { width: side } : undefined}
      >
        <Splitter
          label={messages.inspector.width}
          orientation="vertical"
          reverse
          value={side}
          min={260}
          max={Math.max(320, width * 0.5)}
          onChange={(next) => prefer({ inspectorWidth: next })}
        />
        <Inspector />
      </aside>
      <StatusBar />
    </div>
  );
}

/** Whether the inspector lies over the view: when it was opened, and for each record that is selected. */
function useOver(isNarrow: boolean): readonly [boolean, (isOver: boolean) => void] {
  const [isOver, setOver] = useState(false);
  const selected = useFocus((focus) => focus.selected);
  useEffect(() => {
    if (isNarrow && selected !== null) setOver(true);
  }, [isNarrow, selected]);
  return [isOver, setOver];
}

function useWindowSize() {
  const [size, setSize] = useState({ width: window.innerWidth, height: window.innerHeight });
  useEffect(() => {
    const measure = () => setSize({ width: window.innerWidth, height: window.innerHeight });
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, []);
  return size;
}

function Drawer() {
  const open = usePreferences((state) => state.drawerOpen);
  const preferred = usePreferences((state) => state.drawerHeight);
  const { height: windowHeight } = useWindowSize();
  const height = Math.min(preferred, windowHeight * 0.6);
  const rows = viewsIn('drawer')[0];
  return (
    <section className="drawer" aria-label={messages.drawer.title} style={open ? { height } : undefined}>
      {open ? (
        <Splitter
          label={messages.drawer.height}
          orientation="horizontal"
          reverse
          value={height}
          min={96}
          max={windowHeight * 0.6}
          onChange={(next) => prefer({ drawerHeight: next })}
        />
      ) : null}
      <button
        type="button"
        className="drawer-toggle plain"
        aria-expanded={open}
        title={messages.drawer.toggle}
        onClick={() => prefer({ drawerOpen: !open })}
      >
        <span aria-hidden="true">{open ? '▾' : '▸'}</span> {messages.drawer.rows}
      </button>
      {open && rows ? (
        <div className="drawer-body">
          <Boundary what={messages.drawer.rows}>{rows.view.render(false)}</Boundary>
        </div>
      ) : null}
    </section>
  );
}

import { useEffect, useState } from 'react';
import { useCase } from '../state/case-state.ts';
import { prefer, usePreferences } from '../state/preferences.ts';
import { viewsIn } from '../views/index.ts';
import { Splitter } from '../widgets/splitter.tsx';
import { Boundary } from './boundary.tsx';
import { Inspector } from './inspector.tsx';
import { messages } from './messages/window.ts';
import { Rail } from './rail.tsx';
import { StatusBar } from './status-bar.tsx';
import { TopBar } from './top-bar.tsx';

/** The window of an open case: top bar, rail, middle, inspector, drawer, status bar. */
export function Workbench() {
  const id = useCase((state) => state.view);
  const inspectorWidth = usePreferences((state) => state.inspectorWidth);
  const views = viewsIn('main');
  const middle = views.find(({ view }) => view.id === id) ?? views[0];
  const { width } = useWindowSize();
  const side = Math.min(inspectorWidth, Math.max(260, width * 0.5));
  return (
    <div className="workbench" style={{ gridTemplateColumns: `var(--rail) minmax(0, 1fr) ${side}px` }}>
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
      <aside className="side" aria-label={messages.inspector.title}>
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

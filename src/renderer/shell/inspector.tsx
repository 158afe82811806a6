import { showTab, useCase } from '../state/case-state.ts';
import { viewsIn } from '../views/index.ts';
import { TabList } from '../widgets/tab-list.tsx';
import { Boundary } from './boundary.tsx';
import { messages } from './messages/window.ts';

/** Causes and Details, without the view that is already in the middle. */
export function Inspector() {
  const tab = useCase((state) => state.tab);
  const middle = useCase((state) => state.view);
  const views = viewsIn('side').filter(({ view }) => view.id !== middle);
  const shown = views.find(({ view }) => view.id === tab) ?? views.at(-1);
  if (!shown) return null;
  return (
    <div className="inspector">
      <TabList
        label={messages.inspector.title}
        tabs={views.map(({ view }) => ({ id: view.id, title: view.title }))}
        selected={shown.view.id}
        onSelect={showTab}
      />
      <div className="inspector-body" role="tabpanel" aria-label={shown.view.title}>
        <Boundary key={shown.view.id} what={shown.view.title}>
          {shown.view.render(false)}
        </Boundary>
      </div>
    </div>
  );
}

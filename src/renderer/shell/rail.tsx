import { showView, useCase } from '../state/case-state.ts';
import { viewKeys, viewsIn } from '../views/index.ts';
import { Icon } from '../widgets/icon.tsx';
import { messages } from './messages/window.ts';

export function Rail() {
  const current = useCase((state) => state.view);
  return (
    <nav className="rail" aria-label={messages.rail}>
      {viewsIn('main').map(({ view, icon }, at) => (
        <button
          key={view.id}
          type="button"
          className="plain"
          aria-label={view.title}
          aria-current={view.id === current ? 'page' : undefined}
          title={`${view.title}  ${viewKeys[at] ?? ''}`}
          data-testid={`view-${view.id}`}
          onClick={() => showView(view.id)}
        >
          {icon ? <Icon name={icon} /> : null}
          <span aria-hidden="true">{view.title}</span>
        </button>
      ))}
    </nav>
  );
}

import '@fontsource-variable/inter/wght.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import './tokens.css';
import './base.css';
import './widgets/widgets.css';
import './shell/shell.css';
import { createRoot } from 'react-dom/client';
import { present } from '../base/assert.ts';
import { App } from './shell/app.tsx';
import { listenLinks } from './state/app-link.ts';
import { useCase } from './state/case-state.ts';
import { listen, start } from './state/connection.ts';
import { applyTheme } from './state/preferences.ts';
import { loadPartsSoon } from './widgets/lazy-part.tsx';
import { whenDrawn } from './widgets/view.tsx';

applyTheme();
createRoot(present(document.getElementById('root'), 'the root element')).render(<App />);
// The first picture comes first, then the code of what is not shown yet.
whenDrawn(loadPartsSoon);
useCase.subscribe(({ phase }) => phase === 'home' && loadPartsSoon());
listen();
listenLinks(start());

import '@fontsource-variable/inter/wght.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import './tokens.css';
import './base.css';
import './widgets/widgets.css';
import './shell/shell.css';
import { createRoot } from 'react-dom/client';
import { present } from '../base/assert.ts';
import { App } from './shell/app.tsx';
import { listen, start } from './state/connection.ts';
import { applyTheme } from './state/preferences.ts';

applyTheme();
createRoot(present(document.getElementById('root'), 'the root element')).render(<App />);
listen();
void start();

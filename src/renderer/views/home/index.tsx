import type { RegisteredView } from '../../widgets/view.tsx';
import { Home } from './home.tsx';
import { messages } from './messages.ts';

export const homeView: RegisteredView = { id: 'home', title: messages.title.home, render: () => <Home /> };

import type { RegisteredView } from '../../widgets/view.tsx';
import { Home } from './home.tsx';

export const homeView: RegisteredView = { id: 'home', title: 'Home', render: () => <Home /> };

import { create } from 'zustand';
import { can } from './abilities.ts';

/** Where the host keeps no cases, what was added to one is gone with the page, unless it was saved as a bundle. */
const useState = create<{ readonly unsaved: boolean }>()(() => ({ unsaved: false }));
export const useUnsaved = (): boolean => useState((state) => state.unsaved);

export const noteAdded = (): void => {
  if (!can('keep')) useState.setState({ unsaved: true });
};
export const noteSaved = (): void => useState.setState({ unsaved: false });

/** The browser asks whether to leave. */
export const guardUnsaved = (): void =>
  window.addEventListener('beforeunload', (event) => {
    if (useState.getState().unsaved) event.preventDefault();
  });

/** Before another case takes this one's place. */
export const mayLoseAdded = (): boolean =>
  !useState.getState().unsaved || window.confirm('What you added was not saved as a bundle. Go on without it?');

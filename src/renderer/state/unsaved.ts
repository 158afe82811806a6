import { create } from 'zustand';
import { can } from './abilities.ts';
import { messages } from './messages.ts';

/** For a host without storage: changes are lost with the page unless they were saved as a bundle. */
const useState = create<{ readonly unsaved: boolean }>()(() => ({ unsaved: false }));
export const useUnsaved = (): boolean => useState((state) => state.unsaved);

export const noteAdded = (): void => {
  if (!can('keep')) useState.setState({ unsaved: true });
};
export const noteSaved = (): void => useState.setState({ unsaved: false });

/** The browser asks before it leaves the page. */
export const guardUnsaved = (): void =>
  window.addEventListener('beforeunload', (event) => {
    if (useState.getState().unsaved) event.preventDefault();
  });

/** Before another case replaces this one. */
export const mayLoseAdded = (): boolean => !useState.getState().unsaved || window.confirm(messages.unsavedChanges);

import type { MessageBoxReturnValue, OpenDialogReturnValue, SaveDialogReturnValue } from 'electron';
import { strict } from './strict.ts';

/** Everything that would have appeared on the user's screen, or left the app. */
export interface LogEntry {
  readonly what: string;
  readonly args: readonly unknown[];
}

/** Answers that a test has lined up for the dialogs; without one, the user cancels. */
export interface DialogAnswers {
  readonly showOpenDialog: OpenDialogReturnValue[];
  readonly showSaveDialog: SaveDialogReturnValue[];
  readonly showMessageBox: MessageBoxReturnValue[];
}

/** `dialog`, `shell`, `clipboard` and `Menu`: no desktop, only a log and scripted answers. */
export function createDesktop(isReady: () => boolean) {
  const log: LogEntry[] = [];
  const answers: DialogAnswers = { showOpenDialog: [], showSaveDialog: [], showMessageBox: [] };
  const note = (what: string, args: readonly unknown[]): void => void log.push({ what, args });
  const dialogCall =
    <T>(what: string, queue: T[], cancelled: T) =>
    async (...args: unknown[]): Promise<T> => {
      if (!isReady()) throw new Error('dialog module can only be used after app is ready');
      note(what, args);
      return queue.shift() ?? cancelled;
    };
  const dialog = strict('dialog', {
    showOpenDialog: dialogCall('showOpenDialog', answers.showOpenDialog, { canceled: true, filePaths: [] }),
    showSaveDialog: dialogCall('showSaveDialog', answers.showSaveDialog, { canceled: true, filePath: '' }),
    showMessageBox: dialogCall('showMessageBox', answers.showMessageBox, { response: 1, checkboxChecked: false }),
    showErrorBox: (title: string, content: string): void => note('showErrorBox', [title, content]),
  });
  const shell = strict('shell', {
    openExternal: async (url: string): Promise<void> => note('openExternal', [url]),
  });
  const clipboard = strict('clipboard', {
    writeText: (text: string): void => note('writeText', [text]),
  });
  let menu: unknown;
  const Menu = strict('Menu', {
    buildFromTemplate: (template: unknown): unknown => ({ template }),
    setApplicationMenu: (next: unknown): void => {
      menu = next;
    },
    getApplicationMenu: (): unknown => menu,
  });
  return { dialog, shell, clipboard, Menu, log, answers };
}

export type Desktop = ReturnType<typeof createDesktop>;

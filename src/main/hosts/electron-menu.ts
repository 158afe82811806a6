import { join } from 'node:path';
import { app, clipboard, dialog, Menu } from 'electron';
import { linkCommand } from './link-command.ts';
import { messages } from './messages.ts';

/** On the PATH of every shell of macOS. */
const LINK = '/usr/local/bin/faultline';

/** macOS takes copy and paste from the menu; an installed app offers its command there. Reload and DevTools are in none. */
export function macMenu(): Menu {
  const { menu } = messages.desktop.linkCommand;
  const help = { role: 'help' as const, submenu: [{ label: menu, click: () => void offerCommand() }] };
  return Menu.buildFromTemplate([
    { role: 'appMenu' },
    { role: 'editMenu' },
    { role: 'windowMenu' },
    ...(app.isPackaged ? [help] : []),
  ]);
}

/** Links the command, and states what was done; where rights are missing, the line that does it is offered. */
async function offerCommand(): Promise<void> {
  const { linked, temporary, taken, denied, failed, buttons } = messages.desktop.linkCommand;
  try {
    const program = join(process.resourcesPath, 'bin/faultline');
    const result = await linkCommand(LINK, program);
    if (result.kind !== 'denied') {
      const text = { linked: linked(LINK), temporary, taken: taken(LINK, program) }[result.kind];
      await dialog.showMessageBox({ type: result.kind === 'linked' ? 'info' : 'warning', ...text });
      return;
    }
    const options = { type: 'info' as const, ...denied(LINK, result.line), buttons: [buttons.copy, buttons.close] };
    const { response } = await dialog.showMessageBox({ ...options, defaultId: 0, cancelId: 1 });
    if (response === 0) clipboard.writeText(result.line);
  } catch (error) {
    await dialog.showMessageBox({ type: 'error', ...failed(error instanceof Error ? error.message : String(error)) });
  }
}

import { BrowserWindow, type Session, session, type WebPreferences } from 'electron';
import { fail } from '../../model/problem.ts';
import { messages } from './messages.ts';
import { ORIGIN, SCHEME } from './security.ts';

/**
 * Prints a report in an invisible window, without script, in a session of its own without network. The document comes from
 * memory through our own scheme, because a data address is too short for a large report.
 * @param preferences those of every page of this process
 * @param deny takes all permissions from the session
 * @throws ProblemError report.not_printed
 */
export async function printPdf(
  html: string,
  preferences: WebPreferences,
  deny: (own: Session) => void,
): Promise<Uint8Array> {
  const own = session.fromPartition(`print-${printed++}`);
  own.protocol.handle(SCHEME, () => new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } }));
  deny(own);
  const webPreferences = { ...preferences, session: own, javascript: false, devTools: false };
  const window = new BrowserWindow({ show: false, webPreferences });
  try {
    await window.loadURL(`${ORIGIN}/report.html`);
    return await window.webContents.printToPDF({ pageSize: 'A4', printBackground: true, generateTaggedPDF: true });
  } catch (error) {
    const { message, hint } = messages.desktop.notPrinted;
    return fail('report.not_printed', message(error instanceof Error ? error.message : String(error)), { hint });
  } finally {
    window.destroy();
  }
}
let printed = 0;

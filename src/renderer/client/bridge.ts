import type { DesktopBridge } from '../../model/contract/index.ts';

declare global {
  interface Window {
    /** Present only in the desktop window, where the preload script sets it. */
    readonly faultline?: DesktopBridge;
  }
}

export const desktopBridge = (): DesktopBridge | undefined => window.faultline;

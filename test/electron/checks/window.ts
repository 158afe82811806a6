import { expect, vi } from 'vitest';
import { builtPreload, firstWindow, settled } from '../harness.ts';
import type { Check } from './check.ts';
import { FOREIGN_URLS } from './policy.ts';

const SAFE_PREFERENCES = {
  preload: builtPreload,
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: false,
};

/** An event as Chromium would raise it; true when it was prevented. */
function isPrevented(emit: (event: { preventDefault(): void; url?: string }) => void, url?: string): boolean {
  const preventDefault = vi.fn();
  emit({ preventDefault, ...(url === undefined ? {} : { url }) });
  return preventDefault.mock.calls.length > 0;
}

export const windowChecks: readonly Check[] = [
  {
    name: 'sandboxes every window with exactly the safe preferences',
    run: async (subject) => {
      const booted = await subject.boot();
      const { window } = firstWindow(booted);
      expect(booted.control.state.sandboxEnabled).toBe(true);
      expect(booted.control.windowOptions.get(window)?.webPreferences).toEqual({ ...SAFE_PREFERENCES, devTools: true });
      expect(window.webContents.getURL()).toBe('app://bundle/index.html');
      expect(booted.log).toEqual([]);
    },
  },
  {
    name: 'opens more windows when asked, as safe as the first, and not without end',
    run: async (subject) => {
      const booted = await subject.boot();
      firstWindow(booted);
      const count = () => booted.electron.BrowserWindow.getAllWindows().length;
      booted.sample.host?.openWindow?.();
      expect(count()).toBe(2);
      const second = booted.electron.BrowserWindow.getAllWindows()[1];
      const options = second && booted.control.windowOptions.get(second);
      expect(options?.webPreferences).toEqual({ ...SAFE_PREFERENCES, devTools: true });
      const many = () => Array.from({ length: 100 }, () => booted.sample.host?.openWindow?.());
      expect(many).toThrow('windows are open already');
      expect(count()).toBeLessThan(20);
    },
  },
  {
    name: 'has neither DevTools nor a menu that opens them when packaged',
    run: async (subject) => {
      const booted = await subject.boot({ isPackaged: true });
      const { window } = firstWindow(booted);
      expect(booted.control.windowOptions.get(window)?.webPreferences).toEqual({
        ...SAFE_PREFERENCES,
        devTools: false,
      });
      expect(booted.electron.Menu.getApplicationMenu()).toBe(null);
    },
  },
  {
    name: 'has a menu on macOS, with copy and paste and without DevTools',
    run: async (subject) => {
      const { electron } = await subject.boot({ platform: 'darwin' });
      expect(electron.Menu.getApplicationMenu()).toEqual({
        template: [{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }],
      });
    },
  },
  {
    name: 'offers on macOS to install the command, when packaged',
    run: async (subject) => {
      const { electron } = await subject.boot({ platform: 'darwin', isPackaged: true });
      const { template } = electron.Menu.getApplicationMenu() as unknown as { template: unknown[] };
      expect(template).toHaveLength(4);
      expect(template[3]).toMatchObject({ role: 'help', submenu: [{ label: 'Install Command Line…' }] });
    },
  },
  {
    name: 'keeps every frame inside app://bundle',
    run: async (subject) => {
      const { page, contents } = firstWindow(await subject.boot());
      for (const url of FOREIGN_URLS) {
        expect(page.navigateFromPage(url), url).toBe(false);
        for (const name of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
          expect(
            isPrevented((event) => contents.emit(name, event), url),
            `${name} ${url}`,
          ).toBe(true);
        }
      }
      expect(page.navigateFromPage('app://bundle/index.html')).toBe(true);
    },
  },
  {
    name: 'opens no window, and only known links in the browser',
    run: async (subject) => {
      const booted = await subject.boot();
      const { page } = firstWindow(booted);
      for (const url of [...FOREIGN_URLS, 'app://bundle/index.html', 'https://docs.nvidia.com/deploy/']) page.open(url);
      await settled();
      expect(booted.control.log).toEqual([{ what: 'openExternal', args: ['https://docs.nvidia.com/deploy/'] }]);
      expect(booted.electron.BrowserWindow.getAllWindows()).toHaveLength(1);
    },
  },
  {
    name: 'attaches no webview',
    run: async (subject) => {
      const { contents } = firstWindow(await subject.boot());
      expect(isPrevented((event) => contents.emit('will-attach-webview', event, {}, {}))).toBe(true);
    },
  },
  {
    name: 'denies every permission and every device',
    run: async (subject) => {
      const booted = await subject.boot();
      const { control } = booted;
      const { contents } = firstWindow(booted);
      const { permissionRequest, permissionCheck, devicePermission, displayMedia } = control.policy;
      const none = undefined!;
      const decide = vi.fn();
      for (const permission of ['media', 'geolocation', 'notifications', 'openExternal', 'fileSystem'] as const)
        permissionRequest?.(none, permission, decide, none);
      expect(decide.mock.calls).toEqual([[false], [false], [false], [false], [false]]);
      expect(permissionCheck?.(none, 'media', 'app://bundle', none)).toBe(false);
      expect(devicePermission?.(none)).toBe(false);
      const share = vi.fn();
      displayMedia?.(none, share);
      expect(share.mock.calls).toEqual([[null]]);
      const session = control.defaultSession;
      const checkChoice = (name: string, nothing: unknown[], ...before: unknown[]): void => {
        const choose = vi.fn();
        expect(
          isPrevented((event) =>
            (name.includes('bluetooth') ? contents : session).emit(name, event, ...before, choose),
          ),
          name,
        ).toBe(true);
        expect(choose.mock.calls, name).toEqual([nothing]);
      };
      checkChoice('select-hid-device', [], { deviceList: [{ deviceId: 'a' }] });
      checkChoice('select-usb-device', [], { deviceList: [{ deviceId: 'a' }] });
      checkChoice('select-serial-port', [''], [{ portId: 'a' }], {});
      checkChoice('select-bluetooth-device', [''], [{ deviceId: 'a' }]);
    },
  },
  {
    name: 'has no way to the network and takes no downloads',
    run: async (subject) => {
      const { control, electron } = await subject.boot();
      expect(control.switches.get('host-resolver-rules')).toBe('MAP * ~NOTFOUND');
      expect(electron.BrowserWindow.getAllWindows()[0]?.webContents.getWebRTCIPHandlingPolicy()).toBe(
        'disable_non_proxied_udp',
      );
      expect(isPrevented((event) => control.defaultSession.emit('will-download', event, {}, {}))).toBe(true);
    },
  },
];

/** One deliberate fault: a piece of source text, what it becomes, and the check that must notice. */
export interface Fault {
  readonly file:
    | 'electron.ts'
    | 'electron-menu.ts'
    | 'link-inbox.ts'
    | 'security.ts'
    | 'assets.ts'
    | 'file-handles.ts'
    | 'preload';
  readonly find: string;
  readonly replace: string;
  /** Name of a check in `checks/`. */
  readonly caughtBy: string;
}

const fault = (file: Fault['file'], find: string, replace: string, caughtBy: string): Fault => ({
  file,
  find,
  replace,
  caughtBy,
});

const PREFERENCES = 'sandboxes every window with exactly the safe preferences';
const INSIDE = 'keeps every frame inside app://bundle';
const PERMISSIONS = 'denies every permission and every device';
const ADDRESSES = 'knows its own addresses from all others';
const CSP = 'sends one strict content security policy';
const OUTSIDE = 'serves nothing outside its folder';
const MALFORMED = 'refuses malformed paths, unknown types and other methods, with all headers';
const CRASH = 'offers to reload a page whose process died, once, with one line in the log';
const CONFIRMS_QUIT = 'asks before the last window ends a capture';
const ALLOWS = 'asks outside the page before it allows what a page cannot, and takes only its own button for a yes';
const REFUSES = 'refuses what is not a file on disk, in one line without a path';
const ADOPTS = 'adopts files only for the top frame of its own page, and only by a sound path';
const CLOSES = 'closes the store before it exits, once, after the last window';
const CARRIES = 'carries calls, typed arrays, problems and bugs';
const GARBAGE = 'drops what its own client would not send, and goes on';
const STARTED_FOR = 'opens the case that it was started for, and none that is named later';
const LINK = 'reads a link as a place in a case, written anew from its parts, and refuses any other';
const HANDED =
  'hands a link of the system to its page, at the start and later, checked, and waits until the page listens';
const BRIDGE = 'shows the page one frozen bridge of two functions';

const windowFaults: readonly Fault[] = [
  fault('electron.ts', '  sandbox: true,', '  sandbox: false,', PREFERENCES),
  fault('electron.ts', '  app.enableSandbox();\n', '', PREFERENCES),
  fault('electron.ts', 'contextIsolation: true', 'contextIsolation: false', PREFERENCES),
  fault('electron.ts', 'nodeIntegrationInWorker: false', 'nodeIntegrationInWorker: true', PREFERENCES),
  fault('electron.ts', 'webSecurity: true', 'webSecurity: false', PREFERENCES),
  fault('electron.ts', 'webviewTag: false', 'webviewTag: true', PREFERENCES),
  fault(
    'electron.ts',
    '.length >= MOST_WINDOWS',
    '.length < 0',
    'opens more windows when asked, as safe as the first, and not without end',
  ),
  fault('electron.ts', 'navigateOnDragDrop: false', 'navigateOnDragDrop: true', PREFERENCES),
  fault(
    'electron.ts',
    'devTools: !app.isPackaged',
    'devTools: true',
    'has neither DevTools nor a menu that opens them when packaged',
  ),
  fault(
    'electron.ts',
    "=== 'darwin' ? macMenu() : null",
    "=== 'darwin' ? macMenu() : macMenu()",
    'has neither DevTools nor a menu that opens them when packaged',
  ),
  fault(
    'electron-menu.ts',
    '...(app.isPackaged ? [help] : [])',
    '',
    'offers on macOS to install the command, when packaged',
  ),
  fault(
    'electron-menu.ts',
    "{ role: 'editMenu' }",
    "{ role: 'viewMenu' }",
    'has a menu on macOS, with copy and paste and without DevTools',
  ),
  fault('electron.ts', "contents.on('will-navigate', blockNavigation);", '', INSIDE),
  fault('electron.ts', "contents.on('will-redirect', blockNavigation);", '', INSIDE),
  fault('electron.ts', "contents.on('will-frame-navigate', blockNavigation);", '', INSIDE),
  fault(
    'electron.ts',
    "contents.on('will-attach-webview', (event) => event.preventDefault());",
    '',
    'attaches no webview',
  ),
  fault(
    'electron.ts',
    "return { action: 'deny' };",
    "return { action: 'allow' };",
    'opens no window, and only known links in the browser',
  ),
  fault(
    'electron.ts',
    'if (isAllowedExternal(url))',
    'if (URL.canParse(url))',
    'opens no window, and only known links in the browser',
  ),
  fault('electron.ts', 'decide(false)', 'decide(true)', PERMISSIONS),
  fault('electron.ts', 'setPermissionCheckHandler(() => false)', 'setPermissionCheckHandler(() => true)', PERMISSIONS),
  fault('electron.ts', 'target.setDevicePermissionHandler(() => false);', '', PERMISSIONS),
  fault('electron.ts', 'choose(null)', 'choose({})', PERMISSIONS),
  fault('electron.ts', "target.on('select-usb-device'", "target.once('select-usb-devices' as never", PERMISSIONS),
  fault(
    'electron.ts',
    "target.on('will-download', (event) => event.preventDefault());",
    '',
    'has no way to the network and takes no downloads',
  ),
  fault('electron.ts', "'MAP * ~NOTFOUND'", "'MAP x ~NOTFOUND'", 'has no way to the network and takes no downloads'),
];

const connectionFaults: readonly Fault[] = [
  fault(
    'electron.ts',
    'if (!isTrustedSender(senderFrame)) return;',
    'if (!senderFrame) return;',
    'connects only the top frame of its own page',
  ),
  fault('electron.ts', "if (!isTrustedSender(senderFrame)) throw new Error('untrusted sender');", '', ADOPTS),
  fault('electron.ts', 'isClientMessage(event.data) && listener(event)', 'listener(event)', GARBAGE),
  fault(
    'electron.ts',
    "if (name === 'close') port.on('close', () => listener());",
    "if (name === 'close') return;",
    'ends the calls of a page that is gone',
  ),
  fault('electron.ts', '        port1.start();\n', '', CARRIES),
  fault('electron.ts', '{ customJsonSerializers: [...wireSerializers] }', '{}', CARRIES),
  fault('file-handles.ts', 'isAbsolute(path) &&', '', REFUSES),
  fault('file-handles.ts', '.max(32_767)', '', REFUSES),
  fault(
    'file-handles.ts',
    'error instanceof ProblemError ? error.problem.message : messages.files.cannotRead',
    'String(error)',
    REFUSES,
  ),
  fault(
    'electron.ts',
    'defaultPath: safeFileName(suggestedName)',
    'defaultPath: suggestedName',
    'writes only where the user chose, and reports when it cannot',
  ),
  fault('electron.ts', '[port2]', '[]', 'carries a stream until it is abandoned'),
  fault(
    'electron.ts',
    'ipcMain.handle(ADOPT_CHANNEL,',
    "ipcMain.handle('faultline:any', () => 0); ipcMain.handle(ADOPT_CHANNEL,",
    'has one channel to connect and one to adopt a file',
  ),
  fault(
    'electron.ts',
    'createRoutes(api)',
    "{ ...createRoutes(api), toString: createRoutes(api)['app.info'] as never }",
    'calls nothing that is not in the contract',
  ),
  fault(
    'electron.ts',
    "['openFile', 'multiSelections']",
    "['openFile']",
    'asks the user for files: several to import, or one case folder',
  ),
  fault(
    'preload',
    "exposeInMainWorld('faultline', bridge)",
    "exposeInMainWorld('faultline', { ...bridge, ipcRenderer })",
    BRIDGE,
  ),
  fault(
    'preload',
    'contextBridge.exposeInMainWorld(',
    "Object.assign(window, { leak: 1 }); contextBridge.exposeInMainWorld('require', () => 1); contextBridge.exposeInMainWorld(",
    BRIDGE,
  ),
  fault('preload', '[...ports]', '[]', CARRIES),
  fault('preload', 'window.location.origin', "'https://evil.example'", CARRIES),
  fault('preload', "if ('problem' in adopted)", "if ('trouble' in adopted)", REFUSES),
  fault('preload', 'webUtils.getPathForFile(file as File)', '(file as { path: string }).path', REFUSES),
  fault(
    'preload',
    'import { contextBridge',
    "import 'node:fs';\nimport { contextBridge",
    'has a preload that asks for nothing but electron',
  ),
];

const policyFaults: readonly Fault[] = [
  fault('security.ts', 'host === HOST', 'host.startsWith(HOST)', ADDRESSES),
  fault('security.ts', `protocol === \`\${SCHEME}:\``, 'protocol.startsWith(SCHEME)', ADDRESSES),
  fault('security.ts', "host === HOST && username === ''", 'host === HOST', ADDRESSES),
  fault('security.ts', 'frame.parent === null &&', '', ADDRESSES),
  fault('security.ts', 'frame !== null && frame.parent === null && isAppUrl(frame.url)', 'frame !== null', ADDRESSES),
  fault('security.ts', `"script-src 'self' 'wasm-unsafe-eval'"`, `"script-src 'self' 'unsafe-eval'"`, CSP),
  fault('security.ts', `"style-src 'self'"`, `"style-src 'self' 'unsafe-inline'"`, CSP),
  fault('security.ts', `"connect-src 'self'"`, `"connect-src *"`, CSP),
  fault('security.ts', `"frame-ancestors 'none'"`, `"frame-ancestors 'self'"`, CSP),
  fault('security.ts', "'x-content-type-options': 'nosniff',", '', CSP),
  fault(
    'security.ts',
    'EXTERNAL_ORIGINS.has(origin)',
    '[...EXTERNAL_ORIGINS].some((known) => origin.startsWith(known))',
    'lets only known links out to the browser',
  ),
  fault('security.ts', ".replace(/^[ .]+/, '')", '', 'suggests only plain file names'),
  fault(
    'security.ts',
    "u: z.string().startsWith('/')",
    'u: z.string()',
    'takes from a port what its own client sends, and nothing else',
  ),
];

const servingFaults: readonly Fault[] = [
  fault(
    'electron.ts',
    'if (!isAppUrl(request.url))',
    "if (request.url === '')",
    'answers app://bundle and no other host',
  ),
  fault(
    'electron.ts',
    '{ standard: true, secure: true,',
    '{ standard: true, secure: true, bypassCSP: true,',
    'registers its scheme before ready, with the least privileges',
  ),
  fault('electron.ts', '{ status, headers });', '{ status });', 'answers app://bundle and no other host'),
  fault('assets.ts', '!real.startsWith(base + sep) ||', '', OUTSIDE),
  fault('assets.ts', 'real.startsWith(base + sep)', 'real.startsWith(base)', OUTSIDE),
  fault(
    'assets.ts',
    'const real = await fs.realpath(join(base',
    'const real = await Promise.resolve(join(base',
    OUTSIDE,
  ),
  fault('assets.ts', "!path.includes('\\0') && ", '', MALFORMED),
  fault('assets.ts', " && !path.includes('\\\\')", '', MALFORMED),
  fault('assets.ts', 'type === undefined', 'type === null', MALFORMED),
  fault('assets.ts', "if (method !== 'GET' && method !== 'HEAD')", "if (method === 'POST')", MALFORMED),
  fault('assets.ts', '...securityHeaders(), ', '', MALFORMED),
  fault(
    'assets.ts',
    "'application/wasm'",
    "'application/octet-stream'",
    'serves the files of a build with their types',
  ),
];

const linkFaults: readonly Fault[] = [
  fault('security.ts', 'link.length > MAX_LINK || ', '', LINK),
  fault('security.ts', "(host === 'open' || host === '')", "host.startsWith('open')", LINK),
  fault('security.ts', "&& (pathname === '' || pathname === '/')", '', LINK),
  fault('security.ts', 'protocol !== LINK_SCHEME || ', '', LINK),
  fault('security.ts', "|| username !== '' || password !== ''", '', LINK),
  fault('security.ts', "(search !== '') === (hash !== '') || ", '', LINK),
  fault('security.ts', 'Object.hasOwn(forms, name) &&', 'name in forms &&', LINK),
  fault('security.ts', '    forms[name]!.test(value) &&\n', '', LINK),
  fault('security.ts', 'parts.getAll(name).length === 1', 'parts.size > 0', LINK),
  fault('security.ts', '{1,200}$/u;', '{1,900}$/u;', LINK),
  fault('security.ts', '[^\\p{C}/\\\\]', '[^\\p{C}]', LINK),
  fault('electron.ts', '    links.take(link);\n', '', HANDED),
  fault('electron.ts', '    links.take(linkIn(args));\n', '', HANDED),
  fault('electron.ts', '    links.connected(sender);\n', '', HANDED),
  fault('link-inbox.ts', ' || !listening.has(target)', '', HANDED),
  fault('link-inbox.ts', 'place: readAppLink(link)', 'place: link', HANDED),
  fault('link-inbox.ts', '    waiting = null;\n', '', HANDED),
];

const lifeFaults: readonly Fault[] = [
  fault('electron.ts', 'if (!app.requestSingleInstanceLock())', 'if (app.isReady())', 'is a single instance'),
  fault(
    'electron.ts',
    "app.on('second-instance', (_event, args) => {",
    "app.on('second-instance', (_event, args) => { void shell.openExternal(String(args[3]));",
    'brings its window forward on a second start, and ignores the arguments',
  ),
  fault('electron.ts', '    event.preventDefault();\n    if (closing) return;', '    if (closing) return;', CLOSES),
  fault('electron.ts', '    closing = true;\n', '', CLOSES),
  fault('electron.ts', 'opened.then((api) => api.close())', 'opened.then(() => undefined)', CLOSES),
  fault(
    'electron.ts',
    'setTimeout(() => limit.reject',
    'setInterval(() => limit.reject',
    'exits with 1 and one line when the store does not close, or takes too long',
  ),
  fault(
    'electron.ts',
    "app.on('window-all-closed', () => process.platform !== 'darwin' && app.quit());",
    "app.on('window-all-closed', () => undefined);",
    'leaves no call running after the window is closed',
  ),
  fault(
    'electron.ts',
    "process.platform !== 'darwin' && app.quit()",
    'app.quit()',
    'quits with its last window, except on macOS, where it opens a new one when asked',
  ),
  fault('electron.ts', '    opened ??= openedPath([path]);\n', '', STARTED_FOR),
  fault(
    'electron.ts',
    'options.openApi(desktopHost(open), first)',
    'options.openApi(desktopHost(open), null)',
    STARTED_FOR,
  ),
  fault('security.ts', 'isAbsolute(one) && ', '', 'takes from its arguments one case or bundle by an absolute path'),
  fault('electron.ts', '!isRecording()) return;', 'isRecording()) return;', CONFIRMS_QUIT),
  fault('electron.ts', 'if (answer.response !== 1 ||', 'if (answer.response === 1 ||', CONFIRMS_QUIT),
  fault('electron.ts', "response === 1 ? 'always' : 'no'", "response !== 0 ? 'always' : 'no'", ALLOWS),
  fault(
    'electron.ts',
    'detail, buttons, defaultId: 0, cancelId: 0, noLink',
    'detail, buttons, defaultId: 1, cancelId: 0, noLink',
    ALLOWS,
  ),
  fault('electron.ts', "if (why !== 'clean-exit') void offer", 'void offer', CRASH),
  fault('electron.ts', 'if (asking || window.isDestroyed()) return;', '', CRASH),
  fault('electron.ts', '      contents.forcefullyCrashRenderer();\n', '', 'offers to end and reload a page that hangs'),
  fault('electron.ts', '  }, giveUp);\n', '  }, () => undefined);\n', 'reports why it cannot start, and exits with 1'),
  fault('electron.ts', '  handler.catch(() => undefined);', '', 'reports why it cannot start, and exits with 1'),
  fault('file-handles.ts', 'if (!stat.isFile() && !stat.isDirectory())', 'if (stat.isSocket())', REFUSES),
  fault(
    'file-handles.ts',
    'if (paths.size <= limit) break;',
    'break;',
    'keeps a bounded number of handles and knows no other',
  ),
  fault(
    'file-handles.ts',
    "randomBytes(HANDLE_BYTES).toString('hex')",
    'String(paths.size)',
    'turns a dropped file or case folder into a handle, without its path',
  ),
];

export const faults: readonly Fault[] = [
  ...windowFaults,
  ...connectionFaults,
  ...policyFaults,
  ...servingFaults,
  ...linkFaults,
  ...lifeFaults,
];

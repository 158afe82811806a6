/** What crosses the process border from a window's page to main, already packed by the backend. */
export interface PageMessage {
  readonly op: 'send' | 'invoke' | 'port' | 'port-close';
  /** Of an invocation, or of a port. */
  readonly id?: number | string;
  readonly channel?: string;
  readonly value?: unknown;
}

/** From main to the page. */
export interface MainMessage {
  readonly op: 'event' | 'result' | 'port' | 'port-close';
  readonly id?: number | string | undefined;
  readonly channel?: string;
  readonly value?: unknown;
  readonly ports?: readonly string[];
  readonly ok?: boolean;
  readonly message?: string;
}

/** Events of a page, for its window. */
export interface PageSink {
  onMessage(message: PageMessage): void;
  /** Its scripts are gone, and its ends of all ports with them. */
  onDocumentGone(): void;
  onNavigated(url: string): void;
  /** False forbids. */
  onWillNavigate(url: string): boolean;
  onWindowOpen(url: string): void;
  onLoaded(): void;
  onClosed(): void;
  onCrashed(): void;
}

export interface Page {
  readonly targetId: string;
  navigate(url: string): Promise<void>;
  deliver(message: MainMessage): void;
  evaluate(script: string): Promise<unknown>;
  crash(): void;
  /** As PDF, of so many inches. */
  print(options: PrintOptions): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface PrintOptions {
  readonly width: number;
  readonly height: number;
  readonly background: boolean;
  readonly isTagged: boolean;
}

export type Serve = (url: string, method: string) => Promise<Response>;

export interface OpenOptions {
  readonly preload: string | undefined;
  readonly contextIsolation: boolean;
  readonly width: number;
  readonly height: number;
  /** Of a window with a session of its own: what answers it instead of the default one's handlers. */
  readonly serve: Serve | undefined;
  readonly javascript: boolean;
}

/** Where the windows' pages live: in this very process (contract tests), or in a Chromium. */
export interface Backend {
  /** Must clone, and must refuse what structured clone refuses. */
  pack(value: unknown): unknown;
  unpack(value: unknown): unknown;
  start(options: { readonly noSandbox: boolean; readonly serve: Serve }): Promise<void>;
  open(options: OpenOptions, sink: PageSink): Promise<Page>;
  stop(): Promise<void>;
}

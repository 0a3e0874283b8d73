/** Resolves after `ms`, or once `signal` has aborted. Never rejects. `idle`: keeps no process alive. */
export declare function rest(ms: number, signal: AbortSignal, idle?: boolean): Promise<void>;
/** Aborts with the first of them. */
export declare function anyOf(...signals: readonly AbortSignal[]): AbortSignal;
/** Resolves when it has aborted. */
export declare const gone: (signal: AbortSignal) => Promise<void>;
/** Aborts after `ms`. */
export declare function timeOut(ms: number): AbortSignal;
/** Unique enough for a key; pages without TLS lack `crypto.randomUUID`. */
export declare const newId: () => string;

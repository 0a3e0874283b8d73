/**
 * The place for presses. Each key has one writer at a time, so no write needs to read first: `press.ID` and `end.ID`
 * are written by the process that pressed or ended, `facts.ID` by the one who sends.
 */
export type Shelf = {
    /** False: nothing survives the end of the app. */
    readonly isDurable: boolean;
    /** Whether others may write without a notice: then it must be polled. */
    readonly isSilent: boolean;
    /** Resolves when it is on disk. Rejects where it cannot be: storage is full. */
    put(key: string, value: unknown): Promise<void>;
    all(): Promise<ReadonlyMap<string, unknown>>;
    remove(keys: readonly string[]): Promise<void>;
    /** Asks for the right to send, which another tab or process may have, until `signal`. Tells whenever that changes. */
    lead(name: string, signal: AbortSignal, tell: (leads: boolean) => void): void;
    close(): void;
};

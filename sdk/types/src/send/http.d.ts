import type { Answer } from './answer.js';
export type Identity = {
    /** The address of the service: `https://sos.example.org`. */
    readonly url: string;
    readonly appId: string;
    /** Your own id of the user. */
    readonly userId: string;
    /** From your backend. A function is called again when the service refuses its value. */
    readonly userHash: string | (() => string | Promise<string>);
};
/** The device's own clock, epoch ms. */
export type Now = () => number;
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;
/** Requests with the user's identity. */
export declare class Http {
    #private;
    readonly identity: Identity;
    constructor(identity: Identity, fetch: Fetch, now?: Now);
    /** Rejects where your backend has none to give. */
    hash(): Promise<string>;
    /** The hash was refused: the next one is asked for anew. */
    forget(hash?: Promise<string> | null): void;
    /** A response with the identity's headers; 401 has it ask for the hash again, once. Rejects without one. */
    respond(method: string, path: string, init?: RequestInit): Promise<Response>;
    /** Null: there was no answer, or none in time. Never rejects. */
    ask(method: string, path: string, body?: unknown, signal?: AbortSignal, headers?: Readonly<Record<string, string>>): Promise<Answer | null>;
    /**
     * This moment, epoch ms: by the device's clock, or by the service's while that is known to be minutes away. An event
     * time ahead of its arrival would make each repeat of a press another press. rules.md#event-time.
     */
    now(): number;
    /** Whether an event time is one by the service's clock: then the same press again is a repeat. */
    get knowsClock(): boolean;
}
/** An answer that is a refusal. `status` 0: there was none. `code`: `E_SDK_…`. */
export declare class TocsinError extends Error {
    readonly status: number;
    readonly code: string;
    readonly fields: readonly {
        readonly field: string;
        readonly message: string;
    }[];
    readonly retryAfterMs: number;
    constructor(answer: Answer | null);
}

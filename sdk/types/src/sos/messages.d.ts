import { type Http } from '../send/http.js';
import type { QuickReply, SosMessage, SosTalk } from '../wire/message.js';
/** An outgoing message: up to 500 characters, or a quick reply. */
export type Said = {
    readonly text: string;
} | {
    readonly quickReply: QuickReply;
};
export type SayOptions = {
    /** Default: `to` of `read()`. `desk`: only the rescue desk reads it. */
    readonly to?: 'all' | 'desk';
    /** Gives up. */
    readonly signal?: AbortSignal;
};
type Needs = {
    readonly http: Http;
    /** Calls `listener` whenever the talk may have changed. Returns what stops that. */
    readonly onNews: (listener: () => void) => () => void;
    readonly signal: AbortSignal;
};
/** Talking with the rescue desk and with contacts who help, during the open alarm. */
export declare class Messages implements AsyncIterable<SosMessage> {
    #private;
    constructor(needs: Needs);
    /** The messages behind `after`, the newest 200, and the readers of the next one. */
    read(after?: number): Promise<SosTalk>;
    /**
     * Sends a message to the alarm that is open now, again and again until the service has it: it is one message however
     * often it is sent, and never goes into a later alarm. Resolves with it. Rejects with a `TocsinError` where the
     * service refuses it (409: the alarm is over; 429: 60 an hour), and with status 0 if `signal` gives up. It is not
     * kept: after a restart of the app the person sees that it is missing.
     */
    send(said: Said, { to, signal }?: SayOptions): Promise<SosMessage>;
    /**
     * The talk of the open alarm whenever it may have changed: who reads now, and in `items` the messages that are new,
     * from the first one on. Ends when the alarm is over, and with `signal`.
     */
    changes({ signal: own }?: Pick<SayOptions, 'signal'>): AsyncGenerator<SosTalk, void, void>;
    /** The messages of the open alarm as they come, from the first one on. Ends when the alarm is over. */
    [Symbol.asyncIterator](): AsyncGenerator<SosMessage, void, void>;
}
export {};

import type { News } from '../wire/news.js';
import type { Http } from './http.js';
type Readers = {
    readonly heard: (news: News) => void;
    /** The stream is there, before its first event. */
    readonly opened: () => void;
    readonly signal: AbortSignal;
};
/**
 * Reads `GET /v1/sdk/events` until it ends. Resolves with whether events can come this way at all: an earlier service
 * has none, and some platforms read no stream.
 */
export declare function readEvents(http: Http, { heard, opened, signal }: Readers): Promise<'ended' | 'unsupported'>;
/** One event: its `data:` lines are JSON, comments have none. */
export declare function tell(block: string, heard: (news: News) => void): void;
export {};

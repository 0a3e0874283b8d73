/**
 * How long to wait after the attempt of that number, from 0, has failed: 1, 2, 4 … 30 s, a fifth more or less, so that
 * phones that lost the same network do not come back at one moment. `askedMs`: `Retry-After`. `random`: 0 to 1.
 */
export declare function delayMs(attempt: number, askedMs: number, random: number): number;
/** `Retry-After`, seconds or a date, in ms. 0: there is none, or none that can be read. */
export declare function retryAfterMs(header: string | null, now: number): number;

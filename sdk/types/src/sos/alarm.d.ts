import type { Press } from './press.js';
import { type AlarmState } from './state.js';
/** The actions that an alarm offers on the device that shows it. */
export type AlarmKeeper = {
    /** Resolves when the end is kept. */
    readonly ends: (alarm: Alarm, how: 'cancel' | 'resolve') => Promise<void>;
    readonly sendsPositions: (alarm: Alarm) => void;
    readonly now: () => number;
};
/**
 * An alarm, as a sequence of its states: `for await (const state of alarm) render(state)`. It begins with the present
 * one, leaves out those that were passed while nobody looked, and ends after `over`.
 */
export declare class Alarm implements AsyncIterable<AlarmState> {
    #private;
    /** Of this press on this device. */
    readonly id: string;
    /** Whether this device pressed. Another device of the same user only shows it, and sends no position by itself. */
    readonly own: boolean;
    readonly press: Press;
    constructor(press: Press, keeper: AlarmKeeper, { own, kept }: {
        readonly own: boolean;
        readonly kept: boolean;
    });
    get state(): AlarmState;
    /** "I'm fine": nobody need come. Resolves when it is kept on this device; `state.over` says when it has worked. */
    cancel(): Promise<void>;
    /** The emergency is over. Like `cancel`. */
    resolve(): Promise<void>;
    /** Sends this device's position too, until the alarm is over. The device that pressed does so by itself. */
    sendPositions(): void;
    /** Calls `listener` after each change of `state`. Returns what stops that. */
    subscribe(listener: () => void): () => void;
    [Symbol.asyncIterator](): AsyncGenerator<AlarmState, void, void>;
}

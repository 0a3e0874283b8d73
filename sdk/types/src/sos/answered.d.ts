import { type Answer } from '../send/answer.js';
import { type Facts } from './facts.js';
import type { Trouble } from './state.js';
/** The effect of an answer. `again`: send it again, after that many ms at least. */
export type Outcome = {
    readonly facts: Facts;
    readonly again: {
        readonly afterMs: number;
        readonly why: Trouble;
    } | null;
};
/** Reads an answer to `POST /v1/sdk/sos`. Null: there was no answer. */
export declare function pressAnswered(facts: Facts, answer: Answer | null): Outcome;
/**
 * Reads an answer to the end of that number. `asks`: an alarm is open, and nobody knows whether the press has
 * joined it, or has never arrived: the press itself is sent now (`endAsked`), since one with an end opens nothing.
 */
export declare function endAnswered(facts: Facts, number: number, answer: Answer | null): Outcome & {
    readonly asks?: true;
};
/** Reads the answer to a press that has an end: it is part of the open alarm, or will never be of any. */
export declare function endAsked(facts: Facts, number: number, answer: Answer | null): Outcome;

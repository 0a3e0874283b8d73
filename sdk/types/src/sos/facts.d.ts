import type { FieldProblem } from '../wire/alert.js';
import { type Held } from './held.js';
/** How a press came to its end. `ended`: it is over, whoever ended it. `refused`: the service will never take it. */
export type Over = 'cancelled' | 'resolved' | 'ended' | 'refused';
/**
 * The facts of one press. They only grow: two tabs that learn different things agree as soon as each has heard
 * the other's (`joined`).
 */
export type Facts = {
    /** PUBACK or 2xx: it is on the service's disk. */
    readonly onServer: boolean;
    /** When this device learnt of that, epoch ms; 0: it has not. */
    readonly onServerAt: number;
    /** How much of its fields has been left out: those refused, then all but device and time, then all but the time. */
    readonly cut: 0 | 1 | 2 | 3;
    readonly refused: readonly FieldProblem[];
    /** No hand makes such presses, says the service: nobody is alarmed until then. Epoch ms; 0: it never said so. */
    readonly putOff: number;
    readonly incident: Held | null;
    /** A contact was reached, or somebody answered, at some time; never reset. */
    readonly alerted: boolean;
    readonly answered: boolean;
    /** The end of that number left the alarm open: the person, or a tracker, has pressed again since. */
    readonly leftOpen: number;
    readonly over: Over | null;
};
export declare const nothingKnown: Facts;
/** The facts after news of the incident that this press opened or joined. What late news tells has happened, too. */
export declare function learned(facts: Facts, news: Held): Facts;
/** The facts of two sources about the same press, joined. */
export declare function joined(a: Facts, b: Facts): Facts;

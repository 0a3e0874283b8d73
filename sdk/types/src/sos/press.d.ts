import type { Alert } from '../wire/alert.js';
import type { Facts } from './facts.js';
/** A press, written once and never changed. `of`: the application and user whose press it is. */
export type Press = {
    readonly id: string;
    readonly of: string;
    readonly alert: Alert;
    readonly keptAt: number;
};
/** The identity of a press, as it was sent. */
export type PressName = Pick<Alert, 'deviceId' | 'timestamp'>;
/**
 * An end that was asked for. `number`: 1 for the first of this press. `last`: the person's last press until then.
 * `at`: epoch ms; absent where an earlier version has kept it.
 */
export type EndAsked = {
    readonly how: 'cancel' | 'resolve';
    readonly number: number;
    readonly last: PressName;
    readonly at?: number;
};
export declare const pressNameOf: (press: Press, facts: Facts) => PressName;
/**
 * Names the alarm that an end is for: by the last press that the person knew of, so that an end that waits in the
 * network leaves open what was pressed again since. The person who then asks once more means that alarm, whoever
 * pressed; unless this device `hasPressed` since, because that press has joined the same incident. rules.md#ends.
 */
export declare const nameOf: ({ incident }: Facts, { number, last }: EndAsked, hasPressed: boolean) => {
    incidentId: string;
    alert?: never;
} | {
    incidentId?: never;
    alert: PressName;
};
/** The alert as it is sent after the service has refused fields of it. */
export declare function alertToSend({ alert }: Press, { cut, refused }: Facts): Alert;
/**
 * The next thing to do about a press. `repeat`: it was put off, and is sent again to learn its state. `find`: learn
 * which incident it led to. `wait`: until the moment, epoch ms.
 */
export type Task = {
    readonly kind: 'press' | 'repeat';
} | ({
    readonly kind: 'end';
} & EndAsked) | {
    readonly kind: 'find';
} | {
    readonly kind: 'wait';
    readonly until: number;
};
/** An end goes before everything: a press that has an end is never sent again. */
export declare function taskOf(facts: Facts, end: EndAsked | null, now: number): Task | null;

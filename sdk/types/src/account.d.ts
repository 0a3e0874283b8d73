import { type Http } from './send/http.js';
import type { Card, CardFields, Contact, ContactFields, Device, Drill, NumberWarning, PhoneProof, Profile, Readiness, Timer, TimerReminder, Verification } from './wire/account.js';
import type { Position } from './wire/alert.js';
type HearReminders = (listener: (reminder: TimerReminder) => void) => () => void;
/** The user's data besides alarms. Each call rejects with a `TocsinError`. */
export declare class Account {
    #private;
    constructor(http: Http, hearReminders: HearReminders);
    readonly profile: {
        read: () => Promise<Profile>;
        /** Only the fields that are given change; null clears one. */
        update: (fields: Partial<Pick<Profile, 'name' | 'email' | 'phone' | 'address'>>) => Promise<Profile & {
            readonly warnings?: readonly NumberWarning[];
        }>;
    };
    /** The proof of the profile's number, for SOS by SMS. */
    readonly phone: {
        /** Sends six digits to the number. */
        sendCode: () => Promise<{
            readonly expiresAt: string;
        }>;
        prove: (code: string) => Promise<PhoneProof>;
        /** Replaces the four digits of texts, by new ones if none are given. */
        changeSmsCode: (smsCode?: string) => Promise<PhoneProof>;
    };
    readonly contacts: {
        list: () => Promise<readonly Contact[]>;
        add: (contact: ContactFields & Pick<Contact, 'name' | 'phone'>) => Promise<Contact & {
            readonly warnings?: readonly NumberWarning[];
        }>;
        update: (id: string, fields: ContactFields) => Promise<Contact & {
            readonly warnings?: readonly NumberWarning[];
        }>;
        remove: (id: string) => Promise<null>;
        /** Every id exactly once. */
        reorder: (contactIds: readonly string[]) => Promise<null>;
        /** Asks the contact to confirm, by a message with a link. */
        verify: (id: string) => Promise<Verification>;
    };
    /** Operators see it in a real alarm; contacts whom the person has chosen do once they are coming. */
    readonly card: {
        read: () => Promise<Card>;
        /** Only the fields that are given change. */
        update: (fields: CardFields) => Promise<Card>;
        remove: () => Promise<null>;
    };
    readonly devices: {
        list: () => Promise<readonly Device[]>;
        pair: (device: {
            readonly hardwareId: string;
            readonly pairingCode: string;
            readonly firmwareVersion?: string;
            readonly hardwareModel?: string;
        }) => Promise<Device>;
        remove: (id: string) => Promise<null>;
    };
    /** To practise: nobody is told, whatever the screens of a drill say. Rejects with 409 while an alarm is open. */
    readonly drills: {
        start: () => Promise<Drill>;
        report: (id: string) => Promise<Drill>;
        end: (id: string) => Promise<Drill>;
    };
    /** "Unless I am back by then, call for help." */
    readonly timers: {
        list: () => Promise<readonly Timer[]>;
        set: (timer: {
            readonly dueAt: string;
            readonly note?: string;
            readonly position?: Position;
        }) => Promise<Timer>;
        extend: (id: string, dueAt: string) => Promise<Timer>;
        /** "I'm back." Rejects with status 409 if it has raised an SOS: show that, with its button to cancel. */
        end: (id: string) => Promise<Timer>;
        /**
         * Calls `listener` 15 min before a timer is due, as long as this app is connected. Missed reminders are not
         * repeated, so look at `list()` too. Returns a function that stops it.
         */
        watch: (listener: (reminder: TimerReminder) => void) => (() => void);
    };
    /** Whether an alarm would reach somebody, in the language asked for. */
    readiness(language?: string): Promise<Readiness>;
    feedback(feedback: {
        readonly message: string;
        readonly category?: string;
        /** 1 to 5. */
        readonly rating?: number;
    }): Promise<{
        readonly id: string;
        readonly createdAt: string;
    }>;
}
export {};

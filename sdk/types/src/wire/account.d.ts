import type { DeliveryStatus } from './incident.js';
export type Profile = {
    /** The service's id of the user, which MQTT topics have. */
    readonly id: string;
    readonly appId: string;
    readonly externalUserId: string;
    readonly name: string | null;
    readonly email: string | null;
    readonly phone: string | null;
    readonly address: string | null;
    /** When the user proved the number. Null: not proved. Absent: an earlier service. */
    readonly phoneProvedAt?: string | null;
    /** When another user proved it since. */
    readonly phoneTakenAt?: string | null;
    /** SOS by SMS: the number to text, and the user's four digits. Null: the application takes none. */
    readonly smsSos?: {
        readonly number: string | null;
        readonly code: string | null;
        /** The proved number that texts count from. */
        readonly from: string | null;
    } | null;
};
/** The proof of a number. `smsCode`: four digits for an SOS by SMS. */
export type PhoneProof = {
    readonly phoneProvedAt: string;
    readonly smsCode: string;
};
/** The number is stored, but looks wrong. */
export type NumberWarning = {
    readonly code: 'number_implausible' | 'number_is_own' | 'number_twice';
    readonly field: 'phone';
    readonly message: string;
};
/** The person's card for helpers. Null and empty: not said. */
export type Card = {
    /** BCP 47, the best spoken one first. */
    readonly languages: readonly string[];
    readonly hearing: 'deaf' | 'hard_of_hearing' | null;
    readonly yearOfBirth: number | null;
    readonly peopleWithMe: string | null;
    readonly vehicle: string | null;
    readonly note: string | null;
    /** The contacts who may see it, once they are confirmed and coming. */
    readonly contactIds: readonly string[];
    /** Null: there is none. */
    readonly updatedAt: string | null;
};
/** Null clears a field. `contactIds`: only when the person has chosen; each is for the number of this moment. */
export type CardFields = {
    readonly [Name in Exclude<keyof Card, 'updatedAt'>]?: Card[Name] | null;
};
export type Contact = {
    readonly id: string;
    readonly name: string;
    readonly phone: string;
    readonly email: string | null;
    readonly priority: number;
    readonly language: string;
    readonly verifiedAt?: string;
    readonly declinedAt?: string;
    readonly stoppedAt?: string;
    /** Gets SMS but no call until they confirm: their number is of another country than the app's. */
    readonly smsOnly?: true;
    readonly createdAt: string;
    readonly updatedAt: string;
};
export type ContactFields = Partial<Pick<Contact, 'name' | 'phone' | 'email' | 'priority' | 'language'>>;
export type Verification = {
    readonly status: 'requested' | 'verified';
};
export type Device = {
    readonly id: string;
    readonly hardwareId: string;
    readonly firmwareVersion: string | null;
    readonly hardwareModel: string | null;
    readonly pairedAt: string;
    readonly createdAt: string;
    readonly updatedAt: string;
};
export type Timer = {
    readonly id: string;
    readonly status: 'running' | 'ended' | 'raised';
    readonly dueAt: string;
    readonly note: string | null;
    readonly position: {
        readonly latitude: number;
        readonly longitude: number;
        readonly altitude: number | null;
        readonly accuracy?: number;
        readonly at: string;
    } | null;
    readonly overAt: string | null;
    readonly incidentId: string | null;
    readonly createdAt: string;
    readonly updatedAt: string;
};
/** An exercise that this user started: who would have been told, how and after how long. */
export type Drill = {
    readonly id: string;
    readonly status: 'active' | 'acknowledged' | 'cancelled' | 'resolved';
    /** A real press ended it. */
    readonly overtaken: boolean;
    readonly startedAt: string;
    readonly endedAt: string | null;
    readonly contacts: readonly {
        readonly contactId: string;
        readonly name: string;
        readonly channels: readonly {
            readonly channel: string;
            readonly status: DeliveryStatus;
            readonly afterSeconds: number | null;
        }[];
    }[];
};
/** A timer runs out soon: unless it is extended or ended, it raises an SOS at `opensAt`. */
export type TimerReminder = {
    readonly type: 'timer.reminder';
    readonly timerId: string;
    readonly dueAt: string;
    readonly opensAt: string;
    readonly note: string | null;
};
export type Readiness = {
    readonly status: 'ready' | 'attention' | 'not_ready';
    readonly findings: readonly {
        readonly code: string;
        readonly blocking: boolean;
        readonly contactId?: string;
        readonly days?: number;
        readonly percent?: number;
        readonly text: string;
        readonly remedy: string;
    }[];
};

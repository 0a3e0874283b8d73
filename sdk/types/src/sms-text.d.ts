import type { Profile } from './wire/account.js';
export type SmsPlace = {
    readonly latitude: number;
    readonly longitude: number;
};
/**
 * The text of an SOS by SMS: `SOS 47.06380,12.69210 4711`. With the user's four digits, from the proved number, it is
 * the user's own. All fields are optional.
 */
export declare const smsText: (place?: SmsPlace | null, code?: string | null) => string;
/**
 * A link that opens the phone's messages with that text. Null: the application takes no SOS by SMS, or has no number.
 */
export declare function smsLink({ smsSos }: Pick<Profile, 'smsSos'>, place?: SmsPlace | null): string | null;

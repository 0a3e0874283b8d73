/** Answers for somebody who can hardly type: readers see them in their own language. */
export type QuickReply = 'cannot_move' | 'two_of_us' | 'yes' | 'no';
/** A message during an alarm. protocol.md#talk. */
export type SosMessage = {
    /** Grows with each message of the alarm; some numbers are missing. */
    readonly n: number;
    readonly at: string;
    /** The owner of the phone, link or account it came from, not necessarily its writer. */
    readonly from: {
        readonly kind: 'person' | 'contact' | 'operator';
        readonly contactId: string | null;
        readonly name: string;
        readonly phone: string | null;
        readonly channel: 'app' | 'page' | 'console' | 'sms';
    };
    readonly text: string;
    readonly quickReply: QuickReply | null;
    readonly to: 'all' | 'desk';
    /** It says that the person is well: show that nobody else has confirmed it. */
    readonly unconfirmed?: true;
};
/** How the service tells a user's apps of a message. */
export type MessageNews = {
    readonly type: 'sos.message';
    readonly incidentId: string;
    readonly silent?: true;
    readonly message: SosMessage;
};
/** Somebody has signed in at the rescue desk, or out. */
export type ReadersNews = {
    readonly type: 'sos.readers';
    readonly incidentId: string;
};
/** The messages of the open alarm, and the readers of the next one: show the readers before the person writes. */
export type SosTalk = {
    /** Null: no alarm is open. */
    readonly incidentId: string | null;
    readonly mayWrite: boolean;
    /** The readers of a message that names none. */
    readonly to: 'all' | 'desk';
    readonly deskStaffed: boolean;
    /** `now` false: once this contact answers. */
    readonly readers: readonly {
        readonly kind: 'operator' | 'contact';
        readonly contactId: string | null;
        readonly name: string;
        readonly now: boolean;
    }[];
    readonly items: readonly SosMessage[];
    readonly quickReplies: readonly {
        readonly id: QuickReply;
        readonly texts: Readonly<Record<'de' | 'en' | 'es' | 'fr' | 'it', string>>;
    }[];
};

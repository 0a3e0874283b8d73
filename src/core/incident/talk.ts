import type { Contact } from '../account/contact.ts'
import { isFallback } from '../account/fallback-contact.ts'
import { isoAt } from '../ingest/event-time.ts'
import { firstName } from '../text/person-name.ts'
import { isQuickReply, type QuickReply, saysFine } from '../text/quick-replies.ts'
import { type Incident, type IncidentContact, isOpen } from './incident.ts'
import { isRemoved, positionAccess } from './position-access.ts'

/** The sides of the talk. Each has a limit of its own. rules.md#talk. */
export const talkSides = ['person', 'contact', 'operator'] as const
type TalkSide = (typeof talkSides)[number]

/** How a line came in. `sms`: from this number, which may be forged. */
export const talkChannels = ['app', 'page', 'console', 'sms'] as const
export type TalkChannel = (typeof talkChannels)[number]

/**
 * The owner of the phone, link or account that a line came from. `phone`: of a contact, or the number that an SMS came
 * from.
 */
export type TalkSource = {
  readonly side: TalkSide
  readonly channel: TalkChannel
  /** The contact's or operator's id; for the person '', or `sms`. */
  readonly senderId: string
  readonly name: string
  readonly phone: string | null
}

/** One line of the talk during an alarm, as stored. */
export type TalkLine = TalkSource & {
  /** Grows with each line of the incident. */
  readonly n: number
  /** Epoch ms. */
  readonly at: number
  /** Its sender's own name for it: the same one again is the same line. */
  readonly key: string
  readonly text: string
  /** The text is one of the quick replies, which each reader sees in their own language. */
  readonly quickReply: string | null
  /** Only operators and the person may read it, besides its sender. */
  readonly toDesk: boolean
  /** The contacts who may read it once they help: those whom its sender was shown by name. */
  readonly readers: readonly string[]
}

/** A stored contact of the person, as far as it says who may read. */
export type KnownContact = Pick<Contact, 'id' | 'phone' | 'verifiedAt'>

/** Whether there is any talk in this incident: not in a drill, nor while only other users have raised it. */
export const hasTalk = ({ drill, raisedByOthers }: Incident): boolean =>
  drill === undefined && raisedByOthers === undefined

/** Contacts who may read once they help: confirmed at this number, not removed, and not cut off from the position. */
function mayBeReader(incident: Incident, contact: IncidentContact, known: readonly KnownContact[]): boolean {
  const { contactId, correctionOf, phone, stopped } = contact
  if (isRemoved(contact) || stopped !== undefined || positionAccess(incident, contact) !== 'shown') return false
  if (isFallback(contact)) return true
  const stored = known.find(({ id }) => id === (correctionOf ?? contactId))
  return stored !== undefined && stored.verifiedAt !== null && stored.phone === phone
}

/** Whether a contact is *coming* or *calling*. A key in a call or a bare `OK` may be anybody's. */
export const isHelper = ({ response }: IncidentContact): boolean =>
  response?.kind === 'coming' || response?.kind === 'calling'

/** A contact who may read. `isNow`: already; else once they answer *coming* or *calling*. */
export type TalkReader = { readonly contactId: string; readonly name: string; readonly isNow: boolean }

/** The contacts who may read, now or once they help: the person sees their names before writing. rules.md#talk. */
export const talkReaders = (incident: Incident, known: readonly KnownContact[]): readonly TalkReader[] =>
  isOpen(incident) && hasTalk(incident)
    ? incident.contacts.flatMap((contact) => {
        const { contactId, name } = contact
        return mayBeReader(incident, contact, known) ? [{ contactId, name, isNow: isHelper(contact) }] : []
      })
    : []

/** Whether this contact reads now. */
export const readsNow = (incident: Incident, contactId: string, known: readonly KnownContact[]): boolean =>
  talkReaders(incident, known).some((reader) => reader.contactId === contactId && reader.isNow)

/** The lines that a contact who reads now is shown. */
export const linesFor = (contactId: string, lines: readonly TalkLine[]): readonly TalkLine[] =>
  lines.filter(
    ({ side, senderId, readers }) => (side === 'contact' && senderId === contactId) || readers.includes(contactId),
  )

/** Whether this line says that the person is well, which nobody else has confirmed. */
export const isUnconfirmed = ({ side, text }: TalkLine): boolean => side === 'person' && saysFine(text)

/** A line as the person and operators get it (protocol.md#talk). */
export type TalkLineView = {
  readonly n: number
  readonly at: string
  readonly from: {
    readonly kind: TalkSide
    readonly contactId: string | null
    readonly name: string
    readonly phone: string | null
    readonly channel: TalkChannel
  }
  readonly text: string
  readonly quickReply: QuickReply | null
  readonly to: 'all' | 'desk'
  readonly unconfirmed?: true
}

export const talkLineView = (line: TalkLine): TalkLineView => ({
  n: line.n,
  at: isoAt(line.at),
  from: {
    kind: line.side,
    contactId: line.side === 'contact' ? line.senderId : null,
    name: line.name,
    phone: line.phone,
    channel: line.channel,
  },
  text: line.text,
  quickReply: line.quickReply !== null && isQuickReply(line.quickReply) ? line.quickReply : null,
  to: line.toDesk ? 'desk' : 'all',
  ...(isUnconfirmed(line) && { unconfirmed: true }),
})

/** A line as a contact sees it: others of the contacts by first name, in a silent emergency without one. */
export type ContactTalkLine = {
  readonly n: number
  readonly at: number
  readonly side: TalkSide
  readonly isOwn: boolean
  readonly name: string
  readonly channel: TalkChannel
  readonly text: string
  readonly quickReply: string | null
  readonly isUnconfirmed: boolean
}

export const contactTalkLine = (
  line: TalkLine,
  { contactId, silent }: { readonly contactId: string; readonly silent: boolean },
): ContactTalkLine => ({
  n: line.n,
  at: line.at,
  side: line.side,
  isOwn: line.side === 'contact' && line.senderId === contactId,
  name: line.side === 'contact' ? (silent ? '' : firstName(line.name)) : line.name,
  channel: line.channel,
  text: line.text,
  quickReply: line.quickReply,
  isUnconfirmed: isUnconfirmed(line),
})

/** A line as the person's own connections get it. Never on the topic of the incident's events. protocol.md#talk. */
export type TalkEvent = {
  readonly type: 'sos.message'
  readonly appId: string
  readonly userId: string
  readonly incidentId: string
  readonly silent?: true
  readonly message: TalkLineView
}

/** The readers at the rescue desk have changed: the person's apps ask again. protocol.md#talk. */
export type ReadersEvent = Omit<TalkEvent, 'type' | 'silent' | 'message'> & { readonly type: 'sos.readers' }

export const talkEvent = ({ appId, userId, id, silent }: Incident, line: TalkLine): TalkEvent => ({
  type: 'sos.message',
  appId,
  userId,
  incidentId: id,
  ...(silent && { silent }),
  message: talkLineView(line),
})

import { isFallback } from '../../core/account/fallback-contact.ts'
import type { TalkRefusal } from '../../core/incident/decide-talk.ts'
import type { Incident } from '../../core/incident/incident.ts'
import { type ContactTalkLine, contactTalkLine, linesFor, readsNow, talkEvent } from '../../core/incident/talk.ts'
import { talkText } from '../../core/incident/talk-schema.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Meter } from '../../ports/meter.ts'
import type { ContactStore, TalkStore } from '../../ports/store.ts'
import type { TalkFeed } from '../talk/talk-feed.ts'
import type { linkFinder, NoLink, TrackingLink } from './tracking-link.ts'

/** Lines that are looked through for a page, and those that it shows. */
const MAX_LINES = 200
const MAX_SHOWN = 50

/** The talk as a contact who helps sees it, oldest first. `mayWrite` false: only once the person has written. */
export type ContactTalk = { readonly lines: readonly ContactTalkLine[]; readonly mayWrite: boolean }

/** The talk behind a tracking link. Rejects only with a StoreError. rules.md#talk. */
export function contactTalk({
  store,
  clock,
  meter,
  feed,
  find,
  tellBySms,
}: {
  readonly store: TalkStore & Pick<ContactStore, 'contacts'>
  readonly clock: Pick<Clock, 'now'>
  readonly meter: Meter
  readonly feed: Pick<TalkFeed, 'tell'>
  readonly find: ReturnType<typeof linkFinder>
  /** Texts it to a person who has alarmed by SMS. */
  readonly tellBySms: (incident: Incident) => void
}) {
  return {
    /** Null: this contact reads nothing, and is not told whether there is anything. */
    async read({ incident, contactId }: TrackingLink): Promise<ContactTalk | null> {
      if (!readsNow(incident, contactId, await store.contacts(incident.userId))) return null
      const silent = incident.silent === true
      const lines = linesFor(contactId, await store.talkLines(incident.id, 0, MAX_LINES))
      return {
        lines: lines.slice(-MAX_SHOWN).map((line) => contactTalkLine(line, { contactId, silent })),
        mayWrite: !silent || lines.some(({ side, readers }) => side === 'person' && readers.includes(contactId)),
      }
    },

    /** The contact behind the link writes to the person. `key`: the same one again is the same line. */
    async say(
      token: string,
      { key, text }: { readonly key: string; readonly text: string },
    ): Promise<{ readonly done: true } | NoLink | TalkRefusal> {
      const link = await find(token)
      if ('refused' in link) return link
      const { incident, contactId } = link
      const contact = incident.contacts.find((known) => known.contactId === contactId)
      if (contact === undefined) return { refused: 'not_a_reader' }
      const { name, phone } = contact
      // The person may see the numbers of their own contacts, not the site's.
      const shown = isFallback(contact) ? null : phone
      const from = { side: 'contact', channel: 'page', senderId: contactId, name, phone: shown } as const
      const said = { text: talkText(text), quickReply: null, to: null, isDeskStaffed: false }
      const added = await store.addTalkLine({ incidentId: incident.id }, { now: clock.now(), from, key, ...said })
      if ('refused' in added) return added
      if (added.isNew) {
        meter.count('talk_lines_total', { side: 'contact' })
        feed.tell(talkEvent(added.incident, added.line))
        tellBySms(added.incident)
      }
      return { done: true }
    },
  }
}

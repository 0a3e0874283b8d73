import { displayName } from '../../core/account/profile.ts'
import type { Session } from '../../core/account/session.ts'
import { isDeskByDefault, type TalkRefusal } from '../../core/incident/decide-talk.ts'
import { hasTalk, type TalkLineView, talkEvent, talkLineView, talkReaders } from '../../core/incident/talk.ts'
import { talkText } from '../../core/incident/talk-schema.ts'
import { textLanguage } from '../../core/text/phrases.ts'
import { type QuickReply, quickReplies } from '../../core/text/quick-replies.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Meter } from '../../ports/meter.ts'
import type { AccountStore, ApplicationStore, ContactStore, IncidentStore, TalkStore } from '../../ports/store.ts'
import type { DeskOf } from './desk.ts'
import type { TalkFeed } from './talk-feed.ts'

/** A line as the app sends it: a text or a quick reply. `incidentId` null: the one that is open. */
export type OwnLine = {
  readonly key: string
  readonly said: { readonly text: string } | { readonly quickReply: QuickReply }
  readonly to: 'all' | 'desk' | null
  readonly incidentId: string | null
}

type OwnTalkNeeds = {
  readonly store: TalkStore &
    Pick<AccountStore, 'user'> &
    Pick<ApplicationStore, 'application'> &
    Pick<ContactStore, 'contacts'> &
    Pick<IncidentStore, 'openIncident'>
  readonly clock: Pick<Clock, 'now'>
  readonly meter: Meter
  readonly feed: Pick<TalkFeed, 'tell'>
  readonly deskOf: DeskOf
}

/** One who reads what the person writes. `isNow` false: once they answer *coming* or *calling*. */
type TalkReaderView = {
  readonly kind: 'operator' | 'contact'
  readonly contactId: string | null
  readonly name: string
  readonly now: boolean
}

/** The talk as the person's app shows it. protocol.md#talk. */
export type OwnTalk = {
  readonly incidentId: string | null
  readonly mayWrite: boolean
  /** The readers of a line without `to`. */
  readonly to: 'all' | 'desk'
  readonly deskStaffed: boolean
  readonly readers: readonly TalkReaderView[]
  readonly items: readonly TalkLineView[]
}

const NOBODY: OwnTalk = { incidentId: null, mayWrite: false, to: 'all', deskStaffed: false, readers: [], items: [] }

/** The person's messages during their alarm, and their readers. Rejects only with a StoreError. rules.md#talk. */
export function ownTalk({ store, clock, meter, feed, deskOf }: OwnTalkNeeds) {
  return {
    /** The lines behind `after`, oldest first: the newest `max`. */
    async read({ userId }: Pick<Session, 'userId'>, after: number, max: number): Promise<OwnTalk> {
      const record = await store.openIncident(userId)
      if (record === null) return NOBODY
      const { incident } = record
      const lines = await store.talkLines(incident.id, after, max)
      const items = lines.map(talkLineView)
      if (!hasTalk(incident)) return { ...NOBODY, incidentId: incident.id, items }
      const [desk, contacts] = await Promise.all([deskOf(incident.appId), store.contacts(userId)])
      const operators = desk.names.map((name) => ({ kind: 'operator' as const, contactId: null, name, now: true }))
      const helpers = talkReaders(incident, contacts).map(({ contactId, name, isNow }) => {
        return { kind: 'contact' as const, contactId, name, now: isNow }
      })
      return {
        incidentId: incident.id,
        mayWrite: true,
        to: isDeskByDefault(incident, desk.isStaffed) ? 'desk' : 'all',
        deskStaffed: desk.isStaffed,
        readers: [...operators, ...helpers],
        items,
      }
    },

    async say(
      { appId, userId }: Pick<Session, 'appId' | 'userId'>,
      { key, said, to, incidentId }: OwnLine,
    ): Promise<
      | { readonly message: TalkLineView; readonly incidentId: string; readonly isNew: boolean }
      | TalkRefusal
      | { readonly refused: 'user_not_found' }
    > {
      const [user, application] = await Promise.all([store.user(userId), store.application(appId)])
      if (user === null || application === null) return { refused: 'user_not_found' }
      const quickReply = 'quickReply' in said ? said.quickReply : null
      const text =
        'text' in said ? talkText(said.text) : quickReplies[said.quickReply][textLanguage([application.language])]
      const from = { side: 'person', channel: 'app', senderId: '', name: displayName(user), phone: null } as const
      const isDeskStaffed = to === null && (await deskOf(appId)).isStaffed
      const line = { now: clock.now(), from, key, text, quickReply, to, isDeskStaffed }
      const added = await store.addTalkLine({ openOf: userId, incidentId }, line)
      if ('refused' in added) return added
      if (added.isNew) {
        meter.count('talk_lines_total', { side: 'person' })
        feed.tell(talkEvent(added.incident, added.line))
      }
      return { message: talkLineView(added.line), incidentId: added.incident.id, isNew: added.isNew }
    },
  }
}

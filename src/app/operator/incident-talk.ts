import type { Incident } from '../../core/incident/incident.ts'
import { talkEvent } from '../../core/incident/talk.ts'
import { talkText } from '../../core/incident/talk-schema.ts'
import type { Meter } from '../../ports/meter.ts'
import type { TalkStore } from '../../ports/store.ts'
import type { TalkFeed } from '../talk/talk-feed.ts'
import { rowBy } from './by.ts'
import {
  type Asker,
  type Changed,
  type IncidentAccess,
  type Late,
  type NoIncident,
  noIncident,
} from './incident-access.ts'

/** A line as the console sends it. `to` null: as the person's newest line. */
export type OperatorLine = { readonly key: string; readonly text: string; readonly to: 'all' | 'desk' | null }

type TooMany = { readonly refused: 'too_many_messages'; readonly retryAfterMs: number }

/** Operators' messages to the person during an alarm. rules.md#talk. */
export const incidentTalk = (
  {
    store,
    meter,
    talk,
    tellBySms,
  }: {
    readonly store: Pick<TalkStore, 'addTalkLine'>
    readonly meter: Pick<Meter, 'count'>
    readonly talk: Pick<TalkFeed, 'tell'>
    /** Texts it to a person who has alarmed by SMS. */
    readonly tellBySms?: (incident: Incident) => void
  },
  { by, find, answered }: IncidentAccess,
) => ({
  async say(
    asker: Asker,
    incidentId: string,
    { key, text, to }: OperatorLine,
  ): Promise<Changed | Late | NoIncident | TooMany> {
    const record = await find(asker, incidentId, 'incident.message')
    if (record === null) return noIncident
    const who = by(asker)
    const { id, name } = who.actor
    const { appId, userId } = record.incident
    const from = { side: 'operator', channel: 'console', senderId: id, name, phone: null } as const
    const line = { now: who.now, from, key, text: talkText(text), quickReply: null, to, isDeskStaffed: true }
    const row = rowBy(who, { action: 'incident.message', appId, userId, subject: incidentId, details: {} })
    const added = await store.addTalkLine({ incidentId }, line, row)
    if (!('refused' in added)) {
      if (added.isNew) {
        meter.count('talk_lines_total', { side: 'operator' })
        talk.tell(talkEvent(added.incident, added.line))
        tellBySms?.(added.incident)
      }
      return answered(incidentId, asker, null)
    }
    switch (added.refused) {
      case 'incident_not_found':
        return noIncident
      case 'too_many_messages':
        return { refused: added.refused, retryAfterMs: added.retryAfterMs }
      case 'incident_closed':
      case 'no_talk':
        return answered(incidentId, asker, added.refused)
      case 'not_a_reader':
      case 'person_first':
        throw new TypeError(`an operator cannot be refused with ${added.refused}`)
      default:
        return added satisfies never
    }
  },
})

import type { PushMark } from '../account/push-subscription.ts'
import { mayBeReached } from './delivery.ts'
import { type Incident, isOpen } from './incident.ts'

/**
 * The news of an alarm for the person, on a phone whose screen is off. `name` null: unknown. `endedBy`
 * user: from one of their own phones.
 */
export type PersonNews =
  | { readonly kind: 'coming'; readonly name: string; readonly etaMinutes: number }
  | { readonly kind: 'calling' | 'answered'; readonly name: string | null }
  | { readonly kind: 'withdrawn' | 'overdue' }
  | { readonly kind: 'over'; readonly endedBy: 'user' | 'system' | 'other'; readonly name: string | null }

type Helper = {
  readonly id: string
  readonly at: number
  readonly news: Extract<PersonNews, { readonly kind: 'coming' | 'calling' | 'answered' }>
}

/** The end is newer than any state of an open alarm. */
const END = Number.MAX_SAFE_INTEGER

/**
 * The newest news, with the mark that tells it from other news of this alarm; null: none. A press is none, because the
 * person made it. Neither has an exercise any, nor a silent emergency: nothing may light up. app.md#news.
 */
export function personNews(incident: Incident): { readonly news: PersonNews; readonly mark: PushMark } | null {
  if (incident.drill !== undefined || incident.silent) return null
  const { id, openedAt: since, snapshotVersion: version, state, overdue } = incident
  const marked = (news: PersonNews, what: string, onlyIfTold = false) => {
    const isEnd = news.kind === 'over'
    return { news, mark: { told: `${id} ${what}`, since, version: isEnd ? END : version, isEnd, onlyIfTold } }
  }
  if (!isOpen(incident)) {
    const news = endOf(incident)
    // A press taken back before anyone was told needs no news.
    return marked(news, 'over', news.endedBy === 'user' && !wasAnyoneTold(incident))
  }
  const helpers = helpersOf(incident)
  const newest = helpers.reduce<Helper | null>((one, other) => (one === null || other.at >= one.at ? other : one), null)
  if (newest !== null) {
    const all = helpers.map(({ id: of, news }) => `${of}:${news.kind}${news.kind === 'coming' ? news.etaMinutes : ''}`)
    return marked(newest.news, all.sort().join(' '))
  }
  if (state.status === 'acknowledged') return marked({ kind: 'withdrawn' }, 'nobody', true)
  return overdue === undefined ? null : marked({ kind: 'overdue' }, 'overdue')
}

const wasAnyoneTold = ({ deliveries, folded }: Incident): boolean =>
  deliveries.some(mayBeReached) || folded.some(({ told, mayHaveArrived }) => told || mayHaveArrived === true)

function endOf({ closing }: Incident): Extract<PersonNews, { readonly kind: 'over' }> {
  const by = closing?.by ?? 'user'
  const endedBy = by === 'user' || by === 'system' ? by : 'other'
  return { kind: 'over', endedBy, name: endedBy === 'other' ? (closing?.name ?? null) : null }
}

function helpersOf({ contacts, takenBy }: Incident): readonly Helper[] {
  const answered = contacts.flatMap(({ contactId: id, name, acknowledgedAt, response, gone }): readonly Helper[] => {
    if (acknowledgedAt === null || gone || response?.kind === 'unable') return []
    const at = Math.max(acknowledgedAt, response?.at ?? 0)
    if (response?.kind === 'coming')
      return [{ id, at, news: { kind: 'coming', name, etaMinutes: response.etaMinutes } }]
    return [{ id, at, news: { kind: response?.kind ?? 'answered', name } }]
  })
  if (!takenBy) return answered
  return [...answered, { id: 'operator', at: takenBy.at, news: { kind: 'answered', name: takenBy.name } }]
}

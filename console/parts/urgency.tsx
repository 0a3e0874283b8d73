import { Layers } from 'lucide'
import type { Answer, Item } from '../api/types.ts'
import { isDrill } from '../logic/order.ts'
import { readable } from '../logic/plain-text.ts'
import { awaitedMessage } from '../logic/press.ts'
import { now } from '../state/clock.ts'
import { texts } from '../state/language.ts'
import { Icon } from './icon.tsx'
import { ago, elapsed, moment } from './moment.tsx'

/** A shape for each, so that no state is told by colour alone. */
const shapes = ['◆', '▲', '▲', '●', '●', '○'] as const

type Look = Pick<Item, 'urgency' | 'drill' | 'simulated'>
type Standing = Look & Pick<Item, 'firstMessage' | 'wasWith'>

/** The class with the colours of an item: an exercise never looks urgent. */
export const lookOf = (item: Look): string => (isDrill(item) ? 'is-drill' : `u${item.urgency}`)

/** The first message of a new alarm. It reads the clock, and counts, only while there is one to wait for. */
export const awaitedOf = (item: Pick<Item, 'urgency' | 'firstMessage'>) =>
  item.urgency === 0 && item.firstMessage !== null ? awaitedMessage(item, now.value) : null

/** The state in words: `nobody reached` appears only once an attempt has failed. */
export function standingText(item: Standing): string {
  const t = texts.value
  if (item.wasWith !== undefined) return t.shift.unanswered
  const awaited = awaitedOf(item)
  if (awaited === null) return t.urgency[item.urgency]!
  const first = t.firstMessage[awaited.channel]
  return awaited.seconds === 0 ? t.newNow(first) : t.newIn(first, elapsed(awaited.seconds * 1000))
}

/** Why an operator has to look again. Null: nobody has looked yet, or nothing has happened since. */
export const newsText = ({ news }: Pick<Item, 'news'>): string | null =>
  news === undefined || news.what === 'pressed' ? null : texts.value.desk.news[news.what]

export const Badge = ({ item }: { readonly item: Standing }) => (
  <span class={`badge ${lookOf(item)}`}>
    <span aria-hidden="true">{isDrill(item) ? '◇' : shapes[item.urgency]}</span> {standingText(item)}
  </span>
)

export const personOf = ({ person }: Pick<Item, 'person'>): string =>
  readable(person.name) ?? person.phone ?? readable(person.externalId) ?? texts.value.nameless

/** The people who answered, in words. */
export function answerText(answer: Answer): string {
  const t = texts.value
  const name = readable(answer.by.name) ?? t.somebody
  if (answer.by.kind === 'operator') return t.takenBy(name)
  const said = {
    acknowledged: () => t.answered(name),
    coming: () => t.coming(name, answer.etaMinutes ?? 0),
    calling: () => t.isCalling(name),
  }[answer.kind]()
  return answer.overdue ? `${said} (${t.overdue})` : said
}

/** The operator who was in charge and has left. */
export const wasWithText = ({ name }: NonNullable<Item['wasWith']>): string =>
  texts.value.shift.wasWith(readable(name) ?? texts.value.somebody)

/** For an alarm of a timer: when the person meant to report back, and their note. Null after a press. */
export function timerText({ overdue }: Pick<Item, 'overdue'>): string | null {
  if (overdue === undefined) return null
  const t = texts.value
  const said = t.notReported(moment(overdue.dueAt), ago(overdue.dueAt))
  const note = readable(overdue.note)
  return note === null ? said : `${said} · ${t.labelled(t.timerNote, note)}`
}

/** Only the shape, for places without room for more. */
export const Mark = ({ item }: { readonly item: Standing }) => (
  <span class="badge">
    <span aria-hidden="true">{shapes[item.urgency]}</span>
    <span class="unseen">{standingText(item)}</span>
  </span>
)

/** The number of alarms in each state, the most urgent first: for a screen that cannot show them all. */
export function StandingCounts({ items }: { readonly items: readonly Item[] }) {
  const t = texts.value
  const counts = new Map<string, number>()
  for (const item of items) {
    const isAwaited = awaitedOf(item) !== null
    const key = isAwaited ? `0 ${t.isNew}` : `${item.urgency} ${t.urgency[item.urgency]}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return (
    <ul class="counts">
      {[...counts]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, count]) => (
          <li key={key} class={`badge u${key[0]}`}>
            <span aria-hidden="true">{shapes[Number(key[0])]}</span> <strong>{count}</strong>{' '}
            {/* The one state that languages decline. */}
            {count > 1 && key[0] === '4' ? t.desk.sections.taken : key.slice(2)}
          </li>
        ))}
    </ul>
  )
}

/** When it was pressed and by how much it arrived late, as two sentences; null for a press that came in time. */
export function lateText(item: Item): readonly [pressed: string, arrived: string] | null {
  const { pressedAt, lateSeconds } = item
  const t = texts.value
  return lateSeconds === null ? null : [t.pressedAt(moment(pressedAt)), t.arrivedLater(elapsed(lateSeconds * 1000))]
}

/** For places with room for one line. */
export function Late({ item }: { readonly item: Item }) {
  const said = lateText(item)
  return said && <span class="words late">{said.join(', ')}</span>
}

export const LateTag = () => <strong class="tag late">{texts.value.late}</strong>

/** That it is in a major incident, and who looks after it. As a sign: the name needs the room. */
function MajorTag({ major: { assignedTo } }: { readonly major: NonNullable<Item['major']> }) {
  const { title } = texts.value.desk.major
  const team = readable(assignedTo ?? null)
  const said = team === null ? title : texts.value.labelled(title, team)
  return (
    <span class="tag major" title={said}>
      <Icon of={Layers} />
      <span class="unseen">{said}</span>
    </span>
  )
}

export const Tags = ({ item }: { readonly item: Item }) => (
  <>
    {item.new && !isDrill(item) && <strong class="tag new">{texts.value.isNew}</strong>}
    {item.lateSeconds !== null && <LateTag />}
    {item.drill && <span class="tag drill">{texts.value.drill}</span>}
    {item.silent && <strong class="tag">{texts.value.doNotCall}</strong>}
    {item.unknownDevices?.map((id) => (
      <strong key={id} class="tag">
        {texts.value.labelled(texts.value.unknownDevice, readable(id) ?? '?')}
      </strong>
    ))}
    {item.reason === 'overdue' && <span class="tag">{texts.value.timeline.kinds.overdue}</span>}
    {item.major && <MajorTag major={item.major} />}
    {item.fewTold && <strong class="tag">{texts.value.fewTold}</strong>}
    {item.nobodyLeft && <strong class="tag">{texts.value.noContactLeft}</strong>}
    {item.held && <span class="tag">{texts.value.held}</span>}
    {item.putOff && <strong class="tag">{texts.value.putOff(moment(item.putOff.until))}</strong>}
    {item.presses > 1 && <span class="tag">{texts.value.presses(item.presses)}</span>}
  </>
)

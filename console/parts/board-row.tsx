import { Check, type IconNode, MessageSquare, Phone, Users } from 'lucide'
import type { Item } from '../api/types.ts'
import { countdown } from '../logic/age.ts'
import { readable } from '../logic/plain-text.ts'
import { type Stage, stagesOf } from '../logic/sections.ts'
import { now } from '../state/clock.ts'
import { texts } from '../state/language.ts'
import { Icon } from './icon.tsx'
import { Age, Ago, useCounting } from './moment.tsx'
import { placeAge, placesOf, raisedText } from './places.tsx'
import { answerText, awaitedOf, Badge, Late, newsText, personOf, Tags, timerText, wasWithText } from './urgency.tsx'
import type { RowPlace } from './window.tsx'

type Battery = { readonly said: string; readonly at: string | undefined; readonly isLow: boolean }

/** As messages mention it (src/core/incident/battery.ts). */
const LOW_PERCENT = 15

/** The battery of the phone or, if unknown, of the tracker. */
function batteryOf({ battery }: Item): Battery | null {
  const { phone, phoneAt, device, deviceAt } = battery ?? {}
  if (phone != null) return { said: texts.value.battery(phone), at: phoneAt, isLow: phone <= LOW_PERCENT }
  if (device == null) return null
  return { said: texts.value.deviceBattery(device), at: deviceAt, isLow: device === 'critical' || device === 'low' }
}

const MAX_PLACES = 2
/** A step that is further away is shown in minutes. */
const COUNTED_MS = 10 * 60_000

/** A component of its own, so that its ages do not draw the row anew. */
const Places = ({ item }: { readonly item: Item }) => (
  <>
    {placesOf(item)
      .slice(0, MAX_PLACES)
      .map((place) => (
        <span key={`${place.source}${place.at}`} title={placeAge(item, place)}>
          {placeAge(item, place)}
        </span>
      ))}
  </>
)

type Step = NonNullable<Item['next']>

/** `call to Ana`. */
function whatNext({ what, channel, name }: Step): string {
  const { desk: t } = texts.value
  const to = channel === 'voice' ? t.callTo : channel === 'http' ? t.appMessageTo : t.smsTo
  return what === 'message' ? to(name ?? texts.value.somebody) : t.steps[what]
}

/** `in 0:38`, counting, as it follows `what`. */
function whenNext({ at }: Step, what: string): string {
  const { desk: t, units } = texts.value
  const ms = Date.parse(at) - now.value
  const said =
    ms <= 0 ? t.soon(what) : t.in(what, ms <= COUNTED_MS ? countdown(ms) : `${Math.round(ms / 60_000)} ${units.min}`)
  return said.slice(what.length)
}

function NextStep({ next }: { readonly next: Step }) {
  const what = whatNext(next)
  return (
    <span class="words next">
      <span class="cut">{what}</span>
      <span class="when">{useCounting(() => whenNext(next, what), `${next.at} ${what}`)}</span>
    </span>
  )
}

/** The next automatic step. While the first message is awaited, the state says so. */
const Next = ({ item }: { readonly item: Item }) =>
  item.next === undefined || awaitedOf(item) !== null ? null : <NextStep next={item.next} />

/** How far the cascade is, as marks with words for screen readers. */
function Strip({ item }: { readonly item: Item }) {
  const { desk: t } = texts.value
  const stages = stagesOf(item)
  if (stages.length === 0) return null
  const said = stages.map(({ name, state }) => `${t.stages[name]}: ${t.stageStates[state]}`).join(', ')
  return (
    <span class="strip" role="img" aria-label={`${t.progress}: ${said}`} title={said}>
      {stages.map(({ name, state }) => (
        <span key={name} class={`stage ${state}`}>
          {marks[state]}
          <Icon of={drawings[name]} />
        </span>
      ))}
    </span>
  )
}

/** No state is told by colour alone. */
const marks: Readonly<Record<Stage['state'], string>> = { ahead: '', done: '✓', failed: '✕', skipped: '–' }

const drawings: Readonly<Record<Stage['name'], IconNode>> = {
  message: MessageSquare,
  call: Phone,
  others: Users,
  answered: Check,
}

type Shown = { readonly item: Item }

function Who({ item }: Shown) {
  const news = newsText(item)
  const names = [readable(item.major?.assignedTo ?? null), item.applicationName]
  return (
    <span class="row-who">
      <strong dir="auto">{personOf(item)}</strong> {news !== null && <strong class="tag news">{news}</strong>}{' '}
      <Tags item={item} />
      <span class="quiet row-app">{names.filter(Boolean).join(' · ')}</span>
    </span>
  )
}

function State({ item }: Shown) {
  const { talk } = texts.value
  const [raised, timer] = [raisedText(item), timerText(item)]
  return (
    <span class="row-state">
      <Badge item={item} />
      {raised !== null && <span class="words raised">{raised}</span>}
      {item.answer !== null && (
        <span class="words">
          {answerText(item.answer)}, <Ago at={item.answer.at} />
        </span>
      )}
      <Next item={item} />
      {item.messageAt !== undefined && (
        <strong class="words">
          {talk.waits}, <Ago at={item.messageAt} />
        </strong>
      )}
      <Late item={item} />
      {timer !== null && <span class="words">{timer}</span>}
      {item.wasWith !== undefined && (
        <span class="words">
          {wasWithText(item.wasWith)}, <Ago at={item.wasWith.at} />
        </span>
      )}
    </span>
  )
}

function Where({ item }: Shown) {
  const t = texts.value
  const battery = batteryOf(item)
  return (
    <span class="row-where quiet">
      {item.places !== undefined ? (
        <Places item={item} />
      ) : item.position === null ? (
        <span>{t.noPosition}</span>
      ) : (
        <span>
          <Ago at={item.position.at} of={t.positionAgo} />
        </span>
      )}
      {item.position !== null && item.drill && <span class="invented">{t.inventedPosition}</span>}
      {battery !== null && (
        <span class={battery.isLow ? 'battery low' : 'battery'}>
          {battery.said}
          {battery.at !== undefined && (
            <>
              {' '}
              (<Age at={battery.at} />)
            </>
          )}
        </span>
      )}
    </span>
  )
}

type BoardRowProps = Shown & { readonly number: number } & RowPlace

/**
 * A new alarm moves all others one down: that draws their numbers again. The parts that cost are components of their
 * own: what reads a signal is drawn again only for another item, or when it reads differently.
 */
export const BoardRow = ({ item, number, ...place }: BoardRowProps) => (
  <li class={`row u${item.urgency}${item.news || item.new ? ' is-new' : ''}`} data-id={item.incidentId} {...place}>
    <a href={`#/incident/${item.incidentId}`}>
      <span class="row-age">
        <Age at={item.pressedAt} />
        <small title={texts.value.desk.pin(number)}>{number}</small>
      </span>
      <Who item={item} />
      <State item={item} />
      <Strip item={item} />
      <Where item={item} />
    </a>
  </li>
)

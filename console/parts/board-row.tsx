import { Check, type IconNode, MessageSquare, Phone, Users } from 'lucide'
import type { Item } from '../api/types.ts'
import { countdown } from '../logic/age.ts'
import { readable } from '../logic/plain-text.ts'
import { awaitedMessage } from '../logic/press.ts'
import { type Stage, stagesOf } from '../logic/sections.ts'
import { now } from '../state/clock.ts'
import { texts } from '../state/language.ts'
import { Icon } from './icon.tsx'
import { Age, Ago } from './moment.tsx'
import { placeAge, placesOf, raisedText } from './places.tsx'
import { answerText, Badge, Late, newsText, personOf, Tags, timerText, wasWithText } from './urgency.tsx'
import type { RowPlace } from './window.tsx'

/** The battery of the phone or, if unknown, of the tracker. */
const batteryOf = ({ battery }: Item): { readonly said: string; readonly at: string | undefined } | null => {
  if (battery?.phone != null) return { said: texts.value.battery(battery.phone), at: battery.phoneAt }
  return battery?.device != null ? { said: texts.value.deviceBattery(battery.device), at: battery.deviceAt } : null
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

/** `call to Ana in 0:38`, counting: the step, and the words that must not be cut. Null: nothing happens by itself. */
function nextText({ next }: Pick<Item, 'next'>): readonly [what: string, when: string] | null {
  const { desk: t, units } = texts.value
  if (next === undefined) return null
  const to = next.channel === 'voice' ? t.callTo : next.channel === 'http' ? t.appMessageTo : t.smsTo
  const what = next.what === 'message' ? to(next.name ?? texts.value.somebody) : t.steps[next.what]
  const ms = Date.parse(next.at) - now.value
  const said =
    ms <= 0 ? t.soon(what) : t.in(what, ms <= COUNTED_MS ? countdown(ms) : `${Math.round(ms / 60_000)} ${units.min}`)
  return [what, said.slice(what.length)]
}

/** It counts every second; the row around it is not drawn again. */
const Next = ({ item }: { readonly item: Item }) => {
  // While the first message is awaited, the state says so.
  const said = item.urgency === 0 && awaitedMessage(item, now.value) !== null ? null : nextText(item)
  return (
    said && (
      <span class="words next">
        <span class="cut">{said[0]}</span>
        <span class="when">{said[1]}</span>
      </span>
    )
  )
}

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

type BoardRowProps = { readonly item: Item; readonly number: number } & RowPlace

/** A separate component: it is drawn again only when its item, its place or its ages change. */
export function BoardRow({ item, number, ...place }: BoardRowProps) {
  const t = texts.value
  const battery = batteryOf(item)
  return (
    <li class={`row u${item.urgency}${item.news || item.new ? ' is-new' : ''}`} data-id={item.incidentId} {...place}>
      <a href={`#/incident/${item.incidentId}`}>
        <span class="row-age">
          <Age at={item.pressedAt} />
          <small title={t.desk.pin(number)}>{number}</small>
        </span>
        <span class="row-who">
          <strong>{personOf(item)}</strong>{' '}
          {newsText(item) !== null && <strong class="tag news">{newsText(item)}</strong>} <Tags item={item} />
          <span class="quiet row-app">
            {[readable(item.major?.assignedTo ?? null), item.applicationName].filter(Boolean).join(' · ')}
          </span>
        </span>
        <span class="row-state">
          <Badge item={item} />
          {raisedText(item) !== null && <span class="words raised">{raisedText(item)}</span>}
          {item.answer !== null && (
            <span class="words">
              {answerText(item.answer)}, <Ago at={item.answer.at} />
            </span>
          )}
          <Next item={item} />
          {item.messageAt !== undefined && (
            <strong class="words">
              {t.talk.waits}, <Ago at={item.messageAt} />
            </strong>
          )}
          <Late item={item} />
          {timerText(item) !== null && <span class="words">{timerText(item)}</span>}
          {item.wasWith !== undefined && (
            <span class="words">
              {wasWithText(item.wasWith)}, <Ago at={item.wasWith.at} />
            </span>
          )}
        </span>
        <Strip item={item} />
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
            <span class="battery">
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
      </a>
    </li>
  )
}

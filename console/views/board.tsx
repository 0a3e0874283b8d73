import { useEffect } from 'preact/hooks'
import { stream } from '../api/stream.ts'
import type { Item } from '../api/types.ts'
import { ofOwner } from '../logic/shift.ts'
import { Empty } from '../parts/controls.tsx'
import { Drills } from '../parts/drill-rows.tsx'
import { MapPane } from '../parts/map-pane.tsx'
import { Age, Ago, moment } from '../parts/moment.tsx'
import { placeAge, placesOf, raisedText } from '../parts/places.tsx'
import { OwnerFilter, ShiftPanel } from '../parts/shift-panel.tsx'
import { answerText, Badge, Late, personOf, Tags, timerText, wasWithText } from '../parts/urgency.tsx'
import { type RowPlace, Rows } from '../parts/window.tsx'
import { boardReads, open } from '../state/board.ts'
import { browserNow, serverTime } from '../state/clock.ts'
import { firstSteps, readFirstSteps } from '../state/first-steps.ts'
import { texts } from '../state/language.ts'
import { maySetUp, me } from '../state/session.ts'
import { owner } from '../state/shift.ts'

export const pinsOf = (items: readonly Item[]) =>
  items.flatMap((item) =>
    item.position === null
      ? []
      : [
          {
            id: item.incidentId,
            label: personOf(item),
            urgency: item.urgency,
            position: item.position,
            isInvented: item.drill,
          },
        ],
  )

/** The battery of the phone or, if unknown, of the tracker. */
const batteryOf = ({ battery }: Item): { readonly said: string; readonly at: string | undefined } | null => {
  if (battery?.phone != null) return { said: texts.value.battery(battery.phone), at: battery.phoneAt }
  return battery?.device != null ? { said: texts.value.deviceBattery(battery.device), at: battery.deviceAt } : null
}

/** While set-up is incomplete and an alarm would reach nobody, an empty board means something else. */
function FirstSteps() {
  useEffect(() => void readFirstSteps().catch(() => {}), [])
  if (firstSteps.value?.done !== false) return null
  return (
    <p class="empty">
      <a href="#/start">{texts.value.views.start}</a>
    </p>
  )
}

const MAX_PLACES = 2

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

/** A separate component: it is drawn again only when its item, its place or its ages change. */
function BoardRow({ item, ...place }: { readonly item: Item } & RowPlace) {
  const t = texts.value
  const battery = batteryOf(item)
  return (
    <li class={`row u${item.urgency}`} {...place}>
      <a href={`#/incident/${item.incidentId}`}>
        <span class="row-age">
          <Age at={item.pressedAt} />
        </span>
        <span class="row-who">
          <strong>{personOf(item)}</strong>
          <span class="quiet">{item.applicationName}</span>
        </span>
        <span class="row-state">
          <Badge item={item} /> <Tags item={item} />
          <Late item={item} />
          {raisedText(item) !== null && <span class="words raised">{raisedText(item)}</span>}
          {timerText(item) !== null && <span class="words">{timerText(item)}</span>}
          {item.answer !== null && (
            <span class="words">
              {answerText(item.answer)}, <Ago at={item.answer.at} />
            </span>
          )}
          {item.messageAt !== undefined && (
            <strong class="words">
              {t.talk.waits}, <Ago at={item.messageAt} />
            </strong>
          )}
          {item.wasWith !== undefined && (
            <span class="words">
              {wasWithText(item.wasWith)}, <Ago at={item.wasWith.at} />
            </span>
          )}
        </span>
        <span class="row-where quiet">
          {item.places !== undefined ? (
            <Places item={item} />
          ) : item.position === null ? (
            t.noPosition
          ) : (
            <Ago at={item.position.at} of={t.positionAgo} />
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

/** The age of the board, once updates stop arriving. */
export function AsOf() {
  const { live, lastHeardAt } = stream.value
  if (live || lastHeardAt === null || boardReads.value === 0 || browserNow.value - lastHeardAt < CUT_MS) return null
  return <p class="as-of">{texts.value.asOf(moment(serverTime(lastHeardAt)))}</p>
}
/** A stream takes a moment to reconnect. */
const CUT_MS = 2000

/** Open incidents, the most urgent first. Each row is one link, and says everything in words. */
export function Board() {
  const t = texts.value
  const all = open.value
  const items = ofOwner(all, owner.value, me.value?.id ?? null)
  return (
    <main class="board">
      <h1>{t.board.title(all.length)}</h1>
      <AsOf />
      <OwnerFilter items={all} shown={items} />
      <ShiftPanel items={all} />
      {boardReads.value === 0 && <Empty>{t.loading}</Empty>}
      {boardReads.value > 0 && all.length === 0 && <Empty>{t.board.none}</Empty>}
      {boardReads.value > 0 && all.length === 0 && maySetUp.value && <FirstSteps />}
      <MapPane pins={pinsOf(items)} label={t.map} />
      <Rows items={items} rowPx={[84, 168]} label={t.board.title(items.length)}>
        {(item, place) => <BoardRow key={item.incidentId} item={item} {...place} />}
      </Rows>
      <Drills />
    </main>
  )
}

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Item } from '../api/types.ts'
import { isFiltering } from '../logic/board-filter.ts'
import { hiddenUrgent } from '../logic/shift.ts'
import { type Detail, wallItems, wallPlan } from '../logic/wall.ts'
import { WallDrills } from '../parts/drill-rows.tsx'
import { majorText } from '../parts/major-bar.tsx'
import { MapPane } from '../parts/map-pane.tsx'
import { Age, ago } from '../parts/moment.tsx'
import { placeAge, placesOf, raisedText } from '../parts/places.tsx'
import {
  answerText,
  Badge,
  Late,
  Mark,
  newsText,
  personOf,
  StandingCounts,
  Tags,
  timerText,
  wasWithText,
} from '../parts/urgency.tsx'
import { soundBlocked } from '../sound.ts'
import { arm, armed } from '../state/alarm.ts'
import { boardReads, open } from '../state/board.ts'
import { now } from '../state/clock.ts'
import { filter, shownAlarms } from '../state/filter.ts'
import { locale, texts } from '../state/language.ts'
import { majors } from '../state/majors.ts'
import { AsOf, pinsOf } from './board.tsx'

/** Cards of this height have room for lines that go on. */
const ROOMY_EM = 14

/** Any touch is enough if the browser requires one before the page may play sound. */
const unblock = (): void => {
  if (armed.value && soundBlocked.value) void arm()
}

/** The size of an element, as it changes. */
function useRoom() {
  const element = useRef<HTMLOListElement>(null)
  const [room, measured] = useState({ width: 0, height: 0 })
  useEffect(() => {
    if (element.current === null) return
    const watch = new ResizeObserver(([entry]) => {
      if (entry !== undefined) measured({ width: entry.contentRect.width, height: entry.contentRect.height })
    })
    watch.observe(element.current)
    return () => watch.disconnect()
  }, [])
  return [element, room] as const
}

function Card({ item, detail }: { readonly item: Item; readonly detail: Detail }) {
  const t = texts.value
  const news = newsText(item)
  return (
    <li class={`u${item.urgency} ${detail}`}>
      <div class="wall-top">
        {detail === 'line' && <Mark item={item} />}
        <strong dir="auto">{personOf(item)}</strong>
        <Age at={item.pressedAt} />
      </div>
      <div class="wall-state">
        {detail !== 'line' && <Badge item={item} />} {news !== null && <strong class="tag news">{news}</strong>}{' '}
        <Tags item={item} />
      </div>
      {detail === 'full' && (
        <>
          <Late item={item} />
          {raisedText(item) !== null && <div class="raised">{raisedText(item)}</div>}
          {timerText(item) !== null && <div>{timerText(item)}</div>}
          {item.wasWith !== undefined && <div>{`${wasWithText(item.wasWith)}, ${ago(item.wasWith.at)}`}</div>}
          {item.answer !== null && <div>{`${answerText(item.answer)}, ${ago(item.answer.at)}`}</div>}
          {item.position === null && <div class="quiet">{t.noPosition}</div>}
          {placesOf(item).map((place, n) => (
            <div key={`${place.source}${place.at}`} class="quiet">
              {placeAge(item, place)}
              {n === 0 && item.drill && <strong> · {t.inventedPosition}</strong>}
            </div>
          ))}
        </>
      )}
    </li>
  )
}

/** More would leave no room for the alarms. */
const MAX_MAJORS = 2

/** The board without controls, for a screen that nobody touches: nothing of it is ever below the fold. */
export function Wall() {
  useEffect(() => {
    addEventListener('pointerdown', unblock)
    return () => removeEventListener('pointerdown', unblock)
  }, [])
  const [list, { width, height }] = useRoom()
  const t = texts.value
  const items = shownAlarms.value
  const hidden = hiddenUrgent(open.value, items)
  const { detail, fontPx, columns, rows } = wallPlan(items.length, width, height, Math.min(innerWidth, innerHeight))
  const shown = width === 0 ? [] : wallItems(items, columns * rows)
  const time = new Intl.DateTimeFormat(locale.value, { timeStyle: 'short', hourCycle: 'h23' }).format(now.value)
  return (
    <main class="wall">
      <header>
        <h1>{t.board.title(items.length)}</h1>
        <AsOf />
        <StandingCounts items={items} />
        {majors.value.slice(0, MAX_MAJORS).map((major) => (
          <strong key={major.id} class="wall-major">
            {majorText(major)}
          </strong>
        ))}
        <span class="clock">{time}</span>
      </header>
      {boardReads.value > 0 && open.value.length === 0 && (
        <p class="all-quiet">
          <strong>{t.desk.quiet.title}</strong> {t.board.none}
        </p>
      )}
      <ol
        ref={list}
        class={height > ROOMY_EM * fontPx * Math.ceil(shown.length / columns) ? 'roomy' : undefined}
        style={{
          fontSize: `${fontPx}px`,
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridTemplateRows: `repeat(${Math.max(1, Math.ceil(shown.length / columns))}, minmax(0, 1fr))`,
        }}
      >
        {shown.map((item) => (
          <Card key={item.incidentId} item={item} detail={detail} />
        ))}
      </ol>
      <div class="wall-foot">
        {isFiltering(filter.value) && (
          <p class={hidden > 0 ? 'hides' : 'quiet'}>
            {t.desk.filtered(items.length, open.value.length)} {hidden > 0 && t.shift.hidden(hidden)}
          </p>
        )}
        {items.length > shown.length && width > 0 && <p class="more">{t.board.more(items.length - shown.length)}</p>}
        <WallDrills />
      </div>
      <MapPane pins={pinsOf(items)} label={t.map} kind="wall" />
    </main>
  )
}

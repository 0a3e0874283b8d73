import { useEffect } from 'preact/hooks'
import { WallExercises } from '../parts/exercise-rows.tsx'
import { MapPane } from '../parts/map-pane.tsx'
import { Age, ago } from '../parts/moment.tsx'
import { answerText, Badge, Late, personOf, Tags, timerText } from '../parts/urgency.tsx'
import { soundBlocked } from '../sound.ts'
import { arm, armed } from '../state/alarm.ts'
import { boardReads, open } from '../state/board.ts'
import { now } from '../state/clock.ts'
import { locale, texts } from '../state/language.ts'
import { pinsOf } from './board.tsx'

/** Any touch will do if the browser requires one before it lets the page sound. */
const unblock = (): void => {
  if (armed.value && soundBlocked.value) void arm()
}

/** As many as can be read from the other side of a room. */
const SHOWN = 8

/** The board without controls, for a screen that nobody touches. */
export function Wall() {
  useEffect(() => {
    addEventListener('pointerdown', unblock)
    return () => removeEventListener('pointerdown', unblock)
  }, [])
  const t = texts.value
  const items = open.value
  const time = new Intl.DateTimeFormat(locale.value, { timeStyle: 'short', hourCycle: 'h23' }).format(now.value)
  return (
    <main class="wall">
      <header>
        <h1>{t.board.title(items.length)}</h1>
        <span class="clock">{time}</span>
      </header>
      {boardReads.value > 0 && items.length === 0 && <p class="all-quiet">{t.board.none}</p>}
      <ol>
        {items.slice(0, SHOWN).map((item) => (
          <li key={item.incidentId} class={`u${item.urgency}`}>
            <div class="wall-top">
              <strong>{personOf(item)}</strong>
              <Age at={item.pressedAt} />
            </div>
            <div class="wall-state">
              <Badge item={item} /> <Tags item={item} />
            </div>
            <Late item={item} />
            {timerText(item) !== null && <div>{timerText(item)}</div>}
            {item.answer !== null && <div>{`${answerText(item.answer)}, ${ago(item.answer.at)}`}</div>}
            <div class="quiet">
              {item.position === null ? t.noPosition : t.positionAgo(ago(item.position.at))}
              {item.position !== null && item.drill && <strong> · {t.inventedPosition}</strong>}
            </div>
          </li>
        ))}
      </ol>
      {items.length > SHOWN && <p class="more">{t.board.more(items.length - SHOWN)}</p>}
      <WallExercises />
      <MapPane pins={pinsOf(items)} label={t.map} />
    </main>
  )
}

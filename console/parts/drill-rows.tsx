import { openDrills } from '../state/board.ts'
import { texts } from '../state/language.ts'
import { Age } from './moment.tsx'
import { answerText, Badge, personOf } from './urgency.tsx'

/** One start covers a hundred people at most; to follow that many, the operator opens the application. */
const SHOWN = 100

/** Open openDrills, below everything real: each says in words, first of all, that it is one. */
export function Drills() {
  const t = texts.value
  const items = openDrills.value
  if (items.length === 0) return null
  return (
    <section class="drills" aria-labelledby="drills">
      <h2 id="drills">{t.drills.open(items.length)}</h2>
      <p class="quiet">{t.drills.nobodyInDanger}</p>
      <ol class="rows">
        {items.slice(0, SHOWN).map((item) => (
          <li key={item.incidentId} class="row is-drill">
            <a href={`#/incident/${item.incidentId}`}>
              <span class="row-age">{t.drill}</span>
              <span class="row-who">
                <strong>{personOf(item)}</strong>
                <span class="quiet row-app">{item.applicationName}</span>
              </span>
              <span class="row-state">
                <Badge item={item} />
                {item.answer !== null && <span class="words">{answerText(item.answer)}</span>}
              </span>
              <span class="row-where quiet">
                <Age at={item.openedAt} />
              </span>
            </a>
          </li>
        ))}
      </ol>
      {items.length > SHOWN && <p class="more">{t.board.more(items.length - SHOWN)}</p>}
    </section>
  )
}

/** On the wall, where only names have room. */
export function WallDrills() {
  const t = texts.value
  const items = openDrills.value
  if (items.length === 0) return null
  const names = items.slice(0, WALL_SHOWN).map(personOf).join(' · ')
  const rest = items.length > WALL_SHOWN ? ` ${t.board.more(items.length - WALL_SHOWN)}` : ''
  return (
    <p class="wall-drills">
      <strong>{t.drills.open(items.length)}</strong> {names}
      {rest}
    </p>
  )
}
const WALL_SHOWN = 3

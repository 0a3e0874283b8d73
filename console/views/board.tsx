import { signal } from '@preact/signals'
import { ChevronDown, ChevronRight } from 'lucide'
import { useEffect } from 'preact/hooks'
import { stream } from '../api/stream.ts'
import type { Item } from '../api/types.ts'
import { inSections, type Section, sections } from '../logic/sections.ts'
import { AllQuiet } from '../parts/all-quiet.tsx'
import { BoardRow } from '../parts/board-row.tsx'
import { BoardTools, isMapOpen, isShiftOpen } from '../parts/board-tools.tsx'
import { Empty } from '../parts/controls.tsx'
import { Drills } from '../parts/drill-rows.tsx'
import { useHeightAs } from '../parts/height.ts'
import { Icon } from '../parts/icon.tsx'
import { litHandlers } from '../parts/lit.ts'
import { MajorBar, MajorPills } from '../parts/major-bar.tsx'
import { MapPane } from '../parts/map-pane.tsx'
import { moment } from '../parts/moment.tsx'
import { ShiftPanel } from '../parts/shift-panel.tsx'
import { personOf } from '../parts/urgency.tsx'
import { Rows } from '../parts/window.tsx'
import { boardReads, open } from '../state/board.ts'
import { browserNow, serverTime } from '../state/clock.ts'
import { filter, shownAlarms } from '../state/filter.ts'
import { firstSteps, readFirstSteps } from '../state/first-steps.ts'
import { texts } from '../state/language.ts'
import { narrow } from '../state/narrow.ts'
import { isCompact } from '../state/rows.ts'
import { maySetUp } from '../state/session.ts'

/** `isNumbered`: as their rows are. */
export const pinsOf = (items: readonly Item[], isNumbered = false) =>
  items.flatMap((item, n) =>
    item.position === null
      ? []
      : [
          {
            ...(isNumbered && { number: n + 1 }),
            id: item.incidentId,
            label: personOf(item),
            urgency: item.urgency,
            position: item.position,
            isInvented: item.drill,
          },
        ],
  )

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

/** The age of the board, once updates stop arriving. */
export function AsOf() {
  const { live, lastHeardAt } = stream.value
  if (live || lastHeardAt === null || boardReads.value === 0 || browserNow.value - lastHeardAt < CUT_MS) return null
  return <p class="as-of">{texts.value.asOf(moment(serverTime(lastHeardAt)))}</p>
}
/** A stream takes a moment to reconnect. */
const CUT_MS = 2000

/** Folded sections of this screen. Taken alarms need no look until something happens there. */
const folded = signal<ReadonlySet<Section>>(new Set(['taken']))

const toggle = (section: Section): void => {
  const next = new Set(folded.value)
  if (!next.delete(section)) next.add(section)
  folded.value = next
}

type SectionProps = {
  readonly name: Section
  readonly items: readonly Item[]
  /** The number of rows above, which go on being counted. */
  readonly before: number
  /** The number of rows of all sections. */
  readonly among: number
}

function BoardSection({ name, items, before, among }: SectionProps) {
  const t = texts.value.desk
  const title = t.sections[name]
  // Alarms that need a look are never folded away, nor those that this screen was told to show.
  const mayFold = name !== 'new' && filter.value.state !== name && filter.value.owner !== 'mine'
  const isFolded = mayFold && folded.value.has(name)
  const said = (
    <>
      {title} <span class="count">{items.length}</span>
    </>
  )
  return (
    <section class={`board-section ${name}`} aria-label={title}>
      <h2>
        {mayFold ? (
          <button type="button" class="section-fold" aria-expanded={!isFolded} onClick={() => toggle(name)}>
            <Icon of={isFolded ? ChevronRight : ChevronDown} /> {said}
          </button>
        ) : (
          said
        )}
      </h2>
      {!isFolded && (
        <Rows items={items} among={among} rowRem={isCompact.value ? [2.5, 4] : [3.25, 5.5]} label={title}>
          {(item, place) => (
            <BoardRow key={item.incidentId} item={item} number={before + place['aria-posinset']} {...place} />
          )}
        </Rows>
      )}
    </section>
  )
}

/** Open alarms by urgency. Each row is one link, and says everything in words. */
export function Board() {
  const t = texts.value
  const all = open.value
  const items = shownAlarms.value
  const parts = inSections(items)
  const isRead = boardReads.value > 0
  const head = useHeightAs<HTMLElement>('--board-head')
  let before = 0
  return (
    <main class={isCompact.value ? 'board compact' : 'board'}>
      <header ref={head} class="board-head">
        <h1>{t.board.title(all.length)}</h1>
        <AsOf />
        {!narrow.value && <MajorBar />}
        {all.length > 0 && <BoardTools items={all} shown={items} />}
      </header>
      <div class="board-rows" {...litHandlers}>
        {!isRead && <Empty>{t.loading}</Empty>}
        {narrow.value && <MajorPills />}
        {isRead && all.length === 0 && <AllQuiet />}
        {isRead && all.length === 0 && maySetUp.value && <FirstSteps />}
        {sections.map((name) => {
          const part = parts[name]
          const above = before
          before += part.length
          return (
            part.length > 0 && <BoardSection key={name} name={name} items={part} before={above} among={items.length} />
          )
        })}
        <Drills />
      </div>
      <div class={isShiftOpen.value ? 'board-side' : 'board-side shift-folded'}>
        <ShiftPanel items={all} />
        {isMapOpen.value && (
          <MapPane
            pins={pinsOf(
              sections.flatMap((name) => parts[name]),
              true,
            )}
            label={t.map}
            kind="board"
          />
        )}
      </div>
    </main>
  )
}

import { computed } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { MapContent, MapOptions, MapSources, SiteMap } from '../../src/adapters/inbound/http/map/browser/map.js'
import { poll } from '../api/client.ts'
import type { Position } from '../api/types.ts'
import { now } from '../state/clock.ts'
import { setFilter } from '../state/filter.ts'
import { language, texts } from '../state/language.ts'
import { lightRows, litRow } from './lit.ts'
import { rootSize } from './root-size.ts'

/** A position to show on the map. `label`: whose it is. `trail`: where the person was before, oldest first. */
type Pin = {
  readonly id: string
  readonly label: string
  readonly urgency: number
  readonly position: Position
  /** Of its row. */
  readonly number?: number
  /** Of a simulation or an exercise: the position is invented. The pin says so, whatever else is left out. */
  readonly isInvented: boolean
  readonly trail?: readonly Position[]
}

const looks = ['alarm', 'alarm', 'busy', 'good', 'good', 'over'] as const
/** The most urgent ones: thousands of pins would only slow the page down. */
const MAX_PINS = 1_000
/** More names than this would cover each other; the title says them then. */
const MAX_LABELS = 5
const OLD_MS = 15 * 60_000

const inventedOf = (label: string): string => `${texts.value.drill}: ${label} · ${texts.value.inventedPosition}`

const contentOf = (pins: readonly Pin[]): MapContent => ({
  positions: pins.slice(0, MAX_PINS).map(({ id, label, urgency, position, number, isInvented }) => ({
    id,
    ...(number !== undefined && { text: String(number) }),
    // A number stands for the name in the list beside it.
    label: isInvented ? inventedOf(label) : number !== undefined || pins.length > MAX_LABELS ? '' : label,
    title: isInvented ? inventedOf(label) : label,
    isInvented,
    look: looks[urgency] ?? 'over',
    latitude: position.latitude,
    longitude: position.longitude,
    accuracy: position.accuracy ?? null,
    isOld: now.peek() - Date.parse(position.at) > OLD_MS,
  })),
  trail: pins.length === 1 ? (pins[0]?.trail ?? []) : [],
})

/** `board`: beside rows, which light up together with their pins. */
type MapKind = 'case' | 'board' | 'wall'

/** Its parts are loaded when the first map is shown; without them the page works without a map. */
async function mountOn(element: HTMLElement, content: MapContent, kind: MapKind): Promise<SiteMap | null> {
  const { sources } = await poll<{ readonly sources: MapSources | null }>('/map')
  if (sources === null) return null
  const [{ mount }, ofMany] = await Promise.all([import(sources.script), kind === 'case' ? {} : optionsOfMany(kind)])
  return mount(element, {
    sources,
    language: language.value,
    texts: texts.value.zoom,
    ...content,
    ...ofMany,
    onSelect: (id: string) => {
      location.hash = `#/incident/${id}`
    },
  })
}

/**
 * Pins that would cover each other are one. On the board the view stays where the operator left it; on a wall nobody
 * could bring a new alarm into view.
 */
async function optionsOfMany(kind: MapKind): Promise<Partial<MapOptions>> {
  const { pinsGathered } = await import('../logic/gathered-pins.ts')
  const gather = pinsGathered((count) => texts.value.desk.cluster(count), rootSize())
  return kind === 'wall' ? { isFollowing: true, gather } : { isStill: true, onPoint: lightRows, gather }
}

/** Pins grow old while nothing happens. */
const minute = computed(() => Math.floor(now.value / 60_000))
/** The row of a new alarm first, its pin after it: many changes are one drawing. */
const PAUSE_MS = 300

type MapPaneProps = {
  readonly pins: readonly Pin[]
  readonly label: string
  readonly kind?: MapKind
}

export function MapPane({ pins, label, kind = 'case' }: MapPaneProps) {
  const isBoard = kind === 'board'
  const element = useRef<HTMLElement>(null)
  const map = useRef<SiteMap | null>(null)
  const shown = useRef(pins)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const isEmpty = pins.length === 0
  shown.current = pins
  useEffect(() => {
    if (element.current === null) return
    let gone = false
    mountOn(element.current, contentOf(pins), kind).then(
      (mounted) => {
        if (gone) mounted?.remove()
        else map.current = mounted
        // It may have been long in coming.
        map.current?.update(contentOf(shown.current))
        if (mounted === null && element.current !== null) element.current.hidden = true
      },
      () => {
        if (element.current !== null) element.current.hidden = true
      },
    )
    return () => {
      gone = true
      clearTimeout(timer.current ?? undefined)
      timer.current = null
      map.current?.remove()
      map.current = null
    }
  }, [isEmpty])
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null
      map.current?.update(contentOf(shown.current))
    }, PAUSE_MS)
  }, [pins, minute.value])
  useEffect(() => (isBoard ? litRow.subscribe((id) => map.current?.light(id)) : undefined), [isBoard])
  if (isEmpty) return null
  const pane = <section ref={element} class="map" aria-label={label} />
  if (!isBoard) return pane
  const t = texts.value.desk
  return (
    <>
      {pane}
      <div class="map-tools">
        <button type="button" class="small" onClick={() => map.current?.fit()}>
          {t.fitMap}
        </button>
        <button
          type="button"
          class="small"
          onClick={() => map.current !== null && setFilter({ area: map.current.area() })}
        >
          {t.area}
        </button>
      </div>
    </>
  )
}

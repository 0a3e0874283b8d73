import { computed } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { MapContent, MapSources, SiteMap } from '../../src/adapters/inbound/http/map/browser/map.js'
import { poll } from '../api/client.ts'
import type { Position } from '../api/types.ts'
import { now } from '../state/clock.ts'
import { language, texts } from '../state/language.ts'

/** A position to show on the map. `label`: whose it is. `trail`: where the person was before, oldest first. */
type Pin = {
  readonly id: string
  readonly label: string
  readonly urgency: number
  readonly position: Position
  /** Of a simulation or an exercise: the position is invented. The pin says so, whatever else is left out. */
  readonly isInvented: boolean
  readonly trail?: readonly Position[]
}

const looks = ['alarm', 'alarm', 'busy', 'good', 'good', 'over'] as const
/** The most urgent ones: thousands of pins would only slow the page down. */
const MAX_PINS = 200
/** More names than this would cover each other; the title says them then. */
const MAX_LABELS = 12
const OLD_MS = 15 * 60_000

const inventedOf = (label: string): string => `${texts.value.drill}: ${label} · ${texts.value.inventedPosition}`

const contentOf = (pins: readonly Pin[]): MapContent => ({
  positions: pins.slice(0, MAX_PINS).map(({ id, label, urgency, position, isInvented }) => ({
    id,
    label: isInvented ? inventedOf(label) : pins.length > MAX_LABELS ? '' : label,
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

/** Its parts are loaded when the first map is shown; without them the page works without a map. */
async function mountOn(element: HTMLElement, content: MapContent): Promise<SiteMap | null> {
  const { sources } = await poll<{ readonly sources: MapSources | null }>('/map')
  if (sources === null) return null
  const { mount } = await import(sources.script)
  return mount(element, {
    sources,
    language: language.value,
    texts: texts.value.zoom,
    ...content,
    onSelect: (id: string) => {
      location.hash = `#/incident/${id}`
    },
  })
}

/** Pins grow old while nothing happens. */
const minute = computed(() => Math.floor(now.value / 60_000))
/** The row of a new alarm first, its pin after it: many changes are one drawing. */
const PAUSE_MS = 300

export function MapPane({ pins, label }: { readonly pins: readonly Pin[]; readonly label: string }) {
  const element = useRef<HTMLElement>(null)
  const map = useRef<SiteMap | null>(null)
  const shown = useRef(pins)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const isEmpty = pins.length === 0
  shown.current = pins
  useEffect(() => {
    if (element.current === null) return
    let gone = false
    mountOn(element.current, contentOf(pins)).then(
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
  return isEmpty ? null : <section ref={element} class="map" aria-label={label} />
}

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
  readonly trail?: readonly Position[]
}

const looks = ['alarm', 'alarm', 'busy', 'good', 'good', 'over'] as const
/** The most urgent ones: thousands of pins would only slow the page down. */
const MAX_PINS = 200
/** More names than this would cover each other; the title says them then. */
const MAX_LABELS = 12
const OLD_MS = 15 * 60_000

const contentOf = (pins: readonly Pin[]): MapContent => ({
  positions: pins.slice(0, MAX_PINS).map(({ id, label, urgency, position }) => ({
    id,
    label: pins.length > MAX_LABELS ? '' : label,
    title: label,
    look: looks[urgency] ?? 'over',
    latitude: position.latitude,
    longitude: position.longitude,
    accuracy: position.accuracy ?? null,
    isOld: now.value - Date.parse(position.at) > OLD_MS,
  })),
  trail: pins.length === 1 ? (pins[0]?.trail ?? []) : [],
})

/** Its parts are loaded when the first map is shown; without them the page goes on without a map. */
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

export function MapPane({ pins, label }: { readonly pins: readonly Pin[]; readonly label: string }) {
  const element = useRef<HTMLElement>(null)
  const map = useRef<SiteMap | null>(null)
  const content = contentOf(pins)
  const drawn = JSON.stringify(content)
  const isEmpty = pins.length === 0
  useEffect(() => {
    if (element.current === null) return
    let gone = false
    mountOn(element.current, content).then(
      (mounted) => {
        if (gone) mounted?.remove()
        else map.current = mounted
        if (mounted === null && element.current !== null) element.current.hidden = true
      },
      () => {
        if (element.current !== null) element.current.hidden = true
      },
    )
    return () => {
      gone = true
      map.current?.remove()
      map.current = null
    }
  }, [isEmpty])
  useEffect(() => map.current?.update(content), [drawn])
  return isEmpty ? null : <section ref={element} class="map" aria-label={label} />
}

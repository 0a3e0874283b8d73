import Supercluster from 'supercluster'

/** A position of the map (`MapPosition` of map.js). */
type MapPin = {
  readonly id?: string
  readonly latitude: number
  readonly longitude: number
  readonly title?: string
  readonly text?: string
  readonly look?: (typeof looks)[number]
  readonly isInvented?: boolean
  readonly ids?: readonly string[]
  readonly expands?: number
}

/** Pins closer than this on the screen cover each other. */
const RADIUS_REM = 1.875
/** From here on every pin stands alone, also where people stand together. */
const MAX_ZOOM = 16

const looks = ['alarm', 'busy', 'good', 'over'] as const

/**
 * Pins that would cover each other at a zoom, as one with their number and the look of the most urgent. `title`: of
 * such a pin. `remPx`: the px of a rem. An invented position stays alone: nobody is there.
 */
export function pinsGathered(title: (count: number) => string, remPx = 16) {
  let known: readonly MapPin[] | null = null
  let index = indexOf([], remPx)
  return (positions: readonly MapPin[], zoom: number): readonly MapPin[] => {
    if (positions !== known) index = indexOf(positions, remPx)
    known = positions
    const apart = positions.filter(({ isInvented }) => isInvented)
    const gathered = index.getClusters([-180, -85, 180, 85], Math.min(zoom, MAX_ZOOM + 1)).map((feature): MapPin => {
      const { properties } = feature
      if (!('cluster_id' in properties)) return properties.position
      const [longitude, latitude] = feature.geometry.coordinates as [number, number]
      const leaves = index.getLeaves(properties.cluster_id, Number.POSITIVE_INFINITY)
      const members = leaves.flatMap(({ properties: of }) => ('position' in of ? [of.position] : []))
      const ids = members.flatMap(({ id }) => id ?? [])
      return {
        id: `many ${ids[0]}`,
        ids,
        latitude,
        longitude,
        text: `×${members.length}`,
        title: title(members.length),
        look: looks.find((look) => members.some((one) => one.look === look)) ?? 'over',
        expands: Math.min(18, index.getClusterExpansionZoom(properties.cluster_id)),
      }
    })
    return [...gathered, ...apart]
  }
}

type Pin = { readonly position: MapPin }

function indexOf(positions: readonly MapPin[], remPx: number) {
  const radius = RADIUS_REM * remPx
  const index = new Supercluster<Pin, Record<string, never>>({ radius, extent: 256, maxZoom: MAX_ZOOM })
  return index.load(
    positions
      .filter(({ isInvented }) => !isInvented)
      .map((position) => ({
        type: 'Feature' as const,
        properties: { position },
        geometry: { type: 'Point' as const, coordinates: [position.longitude, position.latitude] },
      })),
  )
}

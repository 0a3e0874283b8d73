import { signal } from '@preact/signals'
import { poll } from '../api/client.ts'
import type { Item, Listed } from '../api/types.ts'

/** The alarm and the exercise that were opened last. Undefined: not read yet; null: there is none. */
export const lastAlarm = signal<Item | null | undefined>(undefined)
export const lastDrill = signal<Item | null | undefined>(undefined)

/** Rejects as `poll` does. */
export async function readLast(): Promise<void> {
  const newest = async (query: string): Promise<Item | null> =>
    (await poll<Listed<Item>>(`/incidents?state=all&limit=1${query}`)).items[0] ?? null
  lastAlarm.value = await newest('')
  lastDrill.value = await newest('&drills=true')
}

type Place = { readonly latitude: number; readonly longitude: number }

/** About a kilometre: the place of the site, and nobody's door. */
const rounded = ({ latitude, longitude }: Place): Place => ({
  latitude: Math.round(latitude * 100) / 100,
  longitude: Math.round(longitude * 100) / 100,
})

/** The place for a simulated SOS: that of the last alarm, else the first hut on the map. Null: none known. */
export async function sitePlace(): Promise<Place | null> {
  const { value: last } = lastAlarm
  if (last?.position && !last.simulated) return rounded(last.position)
  const { sources } = await poll<{ readonly sources: { readonly overlays: string | null } | null }>('/map')
  if (sources?.overlays == null) return null
  const { features = [] } = (await (await fetch(sources.overlays)).json()) as { readonly features?: readonly Feature[] }
  const [longitude, latitude] = features.find(({ geometry }) => geometry?.type === 'Point')?.geometry?.coordinates ?? []
  return typeof latitude === 'number' && typeof longitude === 'number' ? rounded({ latitude, longitude }) : null
}
type Feature = { readonly geometry: { readonly type: string; readonly coordinates: readonly unknown[] } | null }

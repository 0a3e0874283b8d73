import { signal } from '@preact/signals'
import type { AlertFields, Position } from '../../sdk/src/index.ts'

/** Facts about a phone, from browsers that tell them. */
type Told = Navigator & {
  readonly getBattery?: () => Promise<{ readonly level: number }>
  readonly connection?: { readonly type?: string; readonly effectiveType?: string }
}
const phone = navigator as Told

/** `prompt`: the browser would ask the person. */
export const positionState = signal<'granted' | 'prompt' | 'denied'>('prompt')

export async function lookAtPermission(): Promise<void> {
  try {
    const status = await navigator.permissions.query({ name: 'geolocation' })
    positionState.value = status.state
    status.onchange = () => {
      positionState.value = status.state
    }
  } catch {
    // Older browsers do not tell: they ask when it is needed.
  }
}

/** The last known one, for the text of an SMS. */
let last: (Position & { readonly at: number }) | null = null
export const lastPosition = () => (last !== null && Date.now() - last.at < 600_000 ? last : null)

const located = (options: PositionOptions): Promise<Position | null> =>
  new Promise((resolve) => {
    if (navigator.geolocation === undefined) return resolve(null)
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, altitude, accuracy } }) => {
        positionState.value = 'granted'
        last = { latitude, longitude, altitude, accuracy, at: Date.now() }
        resolve({ latitude, longitude, altitude, accuracy })
      },
      ({ code, PERMISSION_DENIED }) => {
        if (code === PERMISSION_DENIED) positionState.value = 'denied'
        resolve(null)
      },
      options,
    )
  })

/** Asks the person, once, while nothing is wrong. */
export const askForPosition = () => located({ enableHighAccuracy: true, timeout: 20_000, maximumAge: 60_000 })

/**
 * The position of this phone. `isQuiet`: in a silent alarm nothing may appear on the screen, so a browser that would
 * ask the person is not asked.
 */
export const locate = async (isQuiet: boolean): Promise<Position | null> =>
  positionState.value === 'denied' || (isQuiet && positionState.value !== 'granted')
    ? null
    : located({ enableHighAccuracy: true, timeout: 12_000, maximumAge: 5_000 })

/** 0 to 100. */
export const battery = async (): Promise<number | null> => {
  const told = await phone.getBattery?.().catch(() => undefined)
  return told === undefined ? null : told.level * 100
}

let percent: number | null = null

/** Known before somebody presses: a press waits for nothing. */
export const lookAtBattery = async (): Promise<void> => {
  percent = await battery()
}

/** Fields known at this moment. A later position follows by itself. */
export function knownNow(): AlertFields {
  const { connection } = phone
  const networkType = connection?.type ?? connection?.effectiveType
  return {
    ...(percent !== null && { mobileBattery: Math.round(percent) }),
    mobileCoverage: { isConnected: navigator.onLine, ...(networkType !== undefined && { networkType }) },
  }
}

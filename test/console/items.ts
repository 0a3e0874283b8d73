import type { Item } from '../../console/api/types.ts'

export const APP_ID = '5f0c1de2-7c3f-4a93-8c8a-0a30aa9d6a01'
export const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

export const NAMES = [
  'Mia Gruber',
  'Jonas Weber',
  'Élodie Martin',
  'Paolo Conti',
  'Ana Jiménez',
  'Ben <b>Bold</b> & Co',
] as const

/** An open incident as the board shows it, `minutes` old at `now`. */
export function itemOf(n: number, now: number, over: Partial<Item> = {}): Item {
  const at = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()
  const minutes = over.urgency === 4 ? 34 : 3 + n * 4
  return {
    incidentId: idOf(n),
    applicationId: APP_ID,
    applicationName: 'Alpine Rescue App',
    userId: idOf(9000 + n),
    person: { name: NAMES[n % NAMES.length]!, phone: '+436601234567', externalId: `user-${n}` },
    status: 'active',
    type: 'sos',
    version: 3,
    openedAt: at(minutes),
    occurredAt: at(minutes),
    pressedAt: at(minutes),
    lateSeconds: null,
    updatedAt: at(1),
    closedAt: null,
    urgency: 1,
    presses: 1,
    lastPressAt: at(minutes),
    round: 1,
    answer: null,
    delivered: true,
    firstMessage: null,
    new: false,
    held: false,
    drill: false,
    simulated: false,
    position: { latitude: 47.26921, longitude: 11.40404, accuracy: 12, altitude: 2130, at: at(4) },
    battery: { phone: 41 },
    closing: null,
    toCallBack: 0,
    ...over,
  }
}

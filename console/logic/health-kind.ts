/** What a sentence of the service's health is about. `other`: what the configuration lacks. */
export type HealthKind = (typeof kinds)[number][1] | 'other'

/** How the service begins its sentences (`/readyz`), and what they are about. */
const kinds = [
  [/^the service is /, 'starting'],
  [/^(the store|the database log) /, 'store'],
  [/^the MQTT broker /, 'broker'],
  [/^the dispatcher is /, 'late'],
  [/^this node may not send/, 'lease'],
  [/^the canary's /, 'canary'],
  [/^the clock is not trusted/, 'clock'],
  [/^the clock of this machine /, 'machineClock'],
  [/^SMS modem: /, 'modem'],
  [/^(no synchronous standby|fsync is off|full_page_writes is off)/, 'durability'],
  [/^(the network server |lorawan\.servers\.)/, 'networkServer'],
] as const

export const healthKind = (sentence: string): HealthKind =>
  kinds.find(([begins]) => begins.test(sentence))?.[1] ?? 'other'

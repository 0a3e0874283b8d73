/** The subject of a health sentence. `other`: a gap in the configuration. */
export type HealthKind = (typeof kinds)[number][1] | 'other'

/** The beginnings of the service's sentences (`/readyz`), and their subjects. */
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
  [/^(the last backup |no backup )/, 'backup'],
  [/^(no synchronous standby|fsync is off|full_page_writes is off)/, 'durability'],
  [/^on_call_/, 'onCall'],
  [/^(the network server |lorawan\.servers\.)/, 'networkServer'],
] as const

export const healthKind = (sentence: string): HealthKind =>
  kinds.find(([begins]) => begins.test(sentence))?.[1] ?? 'other'

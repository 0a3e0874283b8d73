import type { Reading, SystemMeter } from '../adapters/system/meter.ts'

type GaugeParts = {
  /** Messages that wait for their turn at a provider, by channel. */
  readonly queued: () => Reading
  readonly connections: () => number
}

/** What `/metrics` shows besides what is counted. Each is read at every scrape, so none may take the event loop's time. */
export function showGauges(meter: SystemMeter, { queued, connections }: GaugeParts): void {
  meter.gauge({
    name: 'queue_length',
    help: 'Messages that wait for their turn at the provider',
    label: 'channel',
    read: queued,
  })
  meter.gauge({ name: 'mqtt_connections', help: 'MQTT clients that are connected', read: connections })
}

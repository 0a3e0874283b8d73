/** Counters by their name in `/metrics` without the prefix `tocsin_`, with what they count and the labels that they carry. */
export const counters = {
  alerts_total: { help: 'Alerts taken in, by verdict', labels: ['verdict', 'transport'] },
  alert_warnings_total: { help: 'Alerts accepted with bad fields', labels: ['transport'] },
  telemetry_total: { help: 'Telemetry rows, by what became of them', labels: ['result', 'transport'] },
  unknown_devices_total: { help: 'Payloads that named a device nobody has paired', labels: [] },
  dead_letters_total: { help: 'Publishes that could not be used', labels: ['reason'] },
  ingest_failures_total: {
    help: 'Payloads that could not be committed and were not acknowledged',
    labels: ['transport'],
  },
  mqtt_connections_total: { help: 'MQTT connection attempts, by result', labels: ['result'] },
  mqtt_refusals_total: { help: 'MQTT operations refused, by operation', labels: ['operation'] },
  attempts_total: { help: 'Notification attempts, by channel and outcome', labels: ['channel', 'outcome'] },
  messages_total: {
    help: 'SMS and calls that a provider took, by country of the number',
    labels: ['channel', 'country'],
  },
  cascades_exhausted_total: { help: 'Cascades that ended without an acknowledgement', labels: [] },
  store_failures_total: { help: 'Commits that failed', labels: ['kind'] },
  rest_requests_total: { help: 'REST requests, by route and status', labels: ['route', 'status'] },
} as const

/** Measured durations in seconds, with the labels that they carry. */
export const histograms = {
  commit_seconds: { help: 'Time from handing a write to the store until it is on disk', labels: [] },
  deadline_lateness_seconds: { help: 'How long after its dueAt an attempt was handed to its provider', labels: [] },
  queue_wait_seconds: {
    help: 'How long a message waited for its turn at a provider that takes few a second',
    labels: ['channel'],
  },
} as const

export type CounterName = keyof typeof counters
export type HistogramName = keyof typeof histograms

/** Where facts are counted. Names and labels are closed tables, so that a misspelt one does not compile. */
export type Meter = {
  count(name: CounterName, labels?: Readonly<Record<string, string>>, by?: number): void
  observe(name: HistogramName, seconds: number, labels?: Readonly<Record<string, string>>): void
}

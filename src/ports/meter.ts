import { failureKinds } from '../core/incident/failure-kind.ts'
import { endOutcomes } from '../core/incident/incident.ts'

/** The values that a label may have. Null: open but few, such as routes or countries. Never a foreign text or code. */
type Labels = Readonly<Record<string, readonly string[] | null>>
type Table = Readonly<Record<string, { readonly help: string; readonly labels: Labels }>>

const transports = ['mqtt', 'rest', 'tracker', 'lorawan', 'sms'] as const
const channels = ['sms', 'voice', 'http', 'chat', 'webhook', 'email'] as const
const outcomes = ['sent', 'delivered', 'failed', 'unknown', 'not_found', 'not_wanted', 'no_target', 'left'] as const

/** Counters by their name in `/metrics` without the prefix `tocsin_`, each with its help text and labels. */
export const counters = {
  alerts_total: { help: 'Alerts received, by verdict', labels: { verdict: null, transport: transports } },
  alert_warnings_total: { help: 'Alerts accepted with invalid fields', labels: { transport: transports } },
  telemetry_total: {
    help: 'Telemetry rows, by outcome',
    labels: { result: ['stored', 'duplicate', 'refused'], transport: transports },
  },
  unknown_devices_total: { help: 'Payloads that named a device nobody has paired', labels: {} },
  dead_letters_total: {
    help: 'Publishes that could not be used and were kept as dead letters',
    labels: { kind: ['alert', 'telemetry', 'timer'], reason: ['no_json_object', 'bad_fields', 'not_admitted'] },
  },
  flags_stuck_total: { help: 'Alarms raised again by an SOS flag of a tracker that was never clear', labels: {} },
  lorawan_events_total: {
    help: 'Events of LoRaWAN network servers, by result',
    labels: {
      server: null,
      result: [
        'alarmed',
        'stored',
        'extended',
        'dead_lettered',
        'lost',
        'ignored',
        'unknown',
        'unknown_sos',
        'unreadable',
        'unauthorized',
      ],
    },
  },
  lorawan_downlinks_total: {
    help: 'Messages to LoRaWAN trackers, by what happened to them',
    labels: { result: ['queued', 'refused', 'sent', 'delivered', 'failed', 'expired', 'dropped'] },
  },
  ingest_failures_total: {
    help: 'Payloads that could not be stored and were not acknowledged',
    labels: { kind: ['alert', 'telemetry', 'timer', 'dead_letter'], transport: transports },
  },
  mqtt_connects_total: {
    help: 'MQTT CONNECTs, by result',
    labels: { result: ['accepted', 'refused', 'unavailable'] },
  },
  mqtt_refusals_total: {
    help: 'MQTT operations refused, by operation',
    labels: { operation: ['publish', 'will', 'subscribe', 'unsubscribe'] },
  },
  attempts_total: {
    help: 'Finished notification attempts, by channel and outcome',
    labels: { channel: channels, outcome: outcomes },
  },
  provider_results_total: {
    help: 'Messages handed to a provider, by result; error: the kind of failure, or none',
    labels: {
      provider: null,
      channel: channels,
      outcome: ['sent', 'delivered', 'failed', 'unknown'],
      error: [...failureKinds, 'none'],
    },
  },
  receipts_total: {
    help: 'Delivery reports from providers',
    labels: { provider: null, channel: channels, status: ['sent', 'delivered', 'failed'] },
  },
  sms_answers_total: {
    help: 'SMS received, by what they were taken for',
    labels: {
      answer: [
        'help',
        'unable',
        'stop',
        'start',
        'unclear',
        'over',
        'note',
        'report',
        'dropped',
        'malformed',
        'sos',
        'not_me',
      ],
    },
  },
  messages_total: {
    help: 'SMS and calls that a provider accepted, by country of the number',
    labels: { channel: ['sms', 'voice'], country: null },
  },
  cascades_exhausted_total: { help: 'Cascades that ended without an acknowledgement', labels: {} },
  incidents_resolved_total: {
    help: 'Incidents that operators have ended, by how they turned out',
    labels: { outcome: [...endOutcomes, 'none'] },
  },
  store_failures_total: {
    help: 'Failed commits, or failed single writes of one',
    labels: { kind: ['disk_full', 'disk_reserve', 'overloaded', 'busy', 'closed', 'unreachable', 'unknown', 'fault'] },
  },
  checkpoint_failures_total: {
    help: 'Failed checkpoints of the database log (WAL)',
    labels: { kind: ['disk_full', 'busy', 'fault', 'in_use'] },
  },
  takeovers_total: { help: 'Leases of other nodes that ended by themselves, as this node saw it', labels: {} },
  verification_messages_total: {
    help: 'Messages that ask contacts to confirm, by outcome',
    labels: { outcome: outcomes },
  },
  pushes_total: {
    help: 'Tries to tell a person by Web Push, by outcome',
    labels: { outcome: ['sent', 'gone', 'refused', 'unreachable'] },
  },
  timers_total: {
    help: 'Overdue timers set, extended, ended, or run out and raised an SOS',
    labels: { did: ['set', 'extended', 'ended', 'raised'] },
  },
  timer_failures_total: { help: 'Tries to raise the SOS of a timer that failed; each is repeated', labels: {} },
  talk_lines_total: {
    help: 'Messages during alarms, by the side that wrote them',
    labels: { side: ['person', 'contact', 'operator'] },
  },
  canary_runs_total: {
    help: 'Synthetic SOS that the service pressed itself, by result: passed, or the step that failed',
    labels: { result: ['passed', 'prepare', 'connect', 'login', 'puback', 'incident', 'message'] },
  },
  backups_total: {
    help: 'Encrypted backups of the site, by result; after_failed: made, but backup.after failed',
    labels: { result: ['made', 'after_failed', 'failed'] },
  },
  heartbeats_total: {
    help: 'Calls of heartbeat.url, by whether the monitor answered with success',
    labels: { result: ['heard', 'failed'] },
  },
  rest_requests_total: { help: 'REST requests, by route and status', labels: { route: null, status: null } },
} as const satisfies Table

/** Measured durations in seconds, each with its labels and the upper bounds of its buckets. */
export const histograms = {
  canary_seconds: {
    help: 'Time from the press of the synthetic SOS to its message in the outbox',
    labels: {},
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  commit_seconds: {
    help: 'Time from handing a write to the store until it is on disk',
    labels: {},
    buckets: [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  deadline_lateness_seconds: {
    help: 'How long after its dueAt an attempt was handed to its provider',
    labels: {},
    buckets: [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
  },
  queue_wait_seconds: {
    help: 'How long a message waited for its turn at a rate-limited provider',
    labels: { channel: ['sms', 'voice', 'email'] },
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600],
  },
} as const satisfies Readonly<Record<string, Table[string] & { readonly buckets: readonly number[] }>>

type CounterName = keyof typeof counters
type HistogramName = keyof typeof histograms

type ValuesOf<L> = { readonly [name in keyof L]: L[name] extends readonly (infer V extends string)[] ? V : string }
export type CounterLabels<N extends CounterName> = ValuesOf<(typeof counters)[N]['labels']>
type HistogramLabels<N extends HistogramName> = ValuesOf<(typeof histograms)[N]['labels']>

/**
 * Counts and measures. Names and labels are closed tables, so that a misspelt one does not compile. Counting never
 * throws and costs well under a microsecond.
 */
export type Meter = {
  count<N extends CounterName>(name: N, labels?: CounterLabels<N>, by?: number): void
  observe<N extends HistogramName>(name: N, seconds: number, labels?: HistogramLabels<N>): void
}

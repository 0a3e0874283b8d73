import type { tracking } from '../../../app/answers/tracking.ts'
import type { CorsOrigins } from '../../../app/connections/cors-origins.ts'
import type { identify } from '../../../app/connections/identify.ts'
import type { mqttCallbacks } from '../../../app/connections/mqtt-callbacks.ts'
import type { takeReport } from '../../../app/field/take-report.ts'
import type { takeUplink } from '../../../app/field/take-uplink.ts'
import type { ingestTelemetry } from '../../../app/ingest/ingest-telemetry.ts'
import type { raiseSos } from '../../../app/ingest/raise-sos.ts'
import type { telemetryHistory } from '../../../app/ingest/telemetry-history.ts'
import type { userReadiness } from '../../../app/ready/user-readiness.ts'
import type { ownAccount } from '../../../app/user/own-account.ts'
import type { ownDevices } from '../../../app/user/own-devices.ts'
import type { ownFeedback } from '../../../app/user/own-feedback.ts'
import type { ownIncident } from '../../../app/user/own-incident.ts'
import type { ownTimers } from '../../../app/user/own-timers.ts'
import type { trackerOf } from '../../../app/user/own-trackers.ts'
import type { verifyContacts } from '../../../app/user/verify-contacts.ts'
import type { countryPlan } from '../../../core/account/country-plan.ts'
import type { NetworkServer } from '../../../core/field/lorawan/network-server.ts'
import type { Balancers } from '../../../lib/behind-balancers.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ConsoleFiles } from '../../../ports/console-files.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { ProviderCallbacks } from '../../../ports/provider-callbacks.ts'
import type { ListenerTimes } from './listener.ts'
import type { MapParts } from './map/site-map.ts'
import type { OperatorParts } from './operator/parts.ts'

/** Requests per minute of one user and of one address; 0 is no limit (rules.md#limits). */
export type RequestLimits = { readonly perUser: number; readonly perAddress: number }

/**
 * The dependencies of the REST interface and the pages: use cases, and the parts of the process that they report on.
 */
export type HttpParts = {
  readonly identify: ReturnType<typeof identify>
  readonly raiseSos: ReturnType<typeof raiseSos>
  readonly ingestTelemetry: ReturnType<typeof ingestTelemetry>
  readonly ownIncident: ReturnType<typeof ownIncident>
  readonly ownAccount: ReturnType<typeof ownAccount>
  readonly ownDevices: ReturnType<typeof ownDevices>
  readonly ownFeedback: ReturnType<typeof ownFeedback>
  readonly ownTimers: ReturnType<typeof ownTimers>
  readonly telemetryHistory: ReturnType<typeof telemetryHistory>
  readonly mqttCallbacks: Pick<ReturnType<typeof mqttCallbacks>, 'mayConnect' | 'mayAccess'>
  /** The plan of a country, with the operator's overrides applied. */
  readonly countryPlan: (country: string) => ReturnType<typeof countryPlan>
  readonly tracking: ReturnType<typeof tracking>
  readonly userReadiness: Pick<ReturnType<typeof userReadiness>, 'ofUser'>
  readonly verification: ReturnType<typeof verifyContacts>
  /**
   * Calls `listener` with the incident of each commit, on whichever node. Also where nothing was announced: a further
   * press while the contacts are being told has no event, and may bring a newer position.
   */
  readonly onIncidentChange?: (listener: (incidentId: string) => void) => void
  /** Trackers with their own token. Absent: none are served. */
  readonly trackers?: { readonly of: ReturnType<typeof trackerOf>; readonly reports: ReturnType<typeof takeReport> }
  /** LoRaWAN network servers by their name, each with its token. Absent: none are configured. */
  readonly lorawan?: {
    readonly servers: ReadonlyMap<string, { readonly server: NetworkServer; readonly token: string | null }>
    readonly take: ReturnType<typeof takeUplink>
  }
  /** Null if no provider calls back. */
  readonly providerCallbacks?: ProviderCallbacks | null
  /** What the operator adds to the map. Default: nothing; it has the outline of the world. */
  readonly map?: MapParts
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly meter: Meter
  /** Milliseconds since the database of several nodes last answered this one. Absent: there is none. */
  readonly databaseSilentMs?: () => number
  /** The contents of `/metrics`, in the Prometheus text format. */
  readonly metricsText: () => Promise<string>
  /** Why the service is not ready; empty when it is. */
  readonly readiness: () => Promise<readonly string[]>
  /** Concerns for the operator while alarms still work: `/readyz` lists them but stays 200. */
  readonly concerns?: () => readonly string[]
  /** Milliseconds after which a readiness check without an answer counts as failed. */
  readonly readinessMs?: number
  /** `http.trustProxy`: addresses or networks whose `X-Forwarded-…` headers are trusted, or true or false for all. */
  readonly trustProxy?: boolean | string | string[]
  /** The load balancers whose connections begin with a PROXY header. Absent: none. */
  readonly balancers?: Balancers | null
  /** `metrics.token`, which gives other machines access to `/metrics`. */
  readonly metricsToken?: string | null
  /** `mqtt.callbackToken`; without it, only an external broker on this machine is served. */
  readonly callbackToken?: string | null
  /** `mqtt.callbackDenyStatus`. */
  readonly callbackDenyStatus?: 200 | 403
  /** `limits.requestsPerMinutePer…`; 0 or absent: no limit. */
  readonly requestLimits?: RequestLimits
  /** `docs.enabled`: whether `/docs`, `/openapi.json` and `/asyncapi.json` are served. Default: true. */
  readonly docs?: boolean
  /** The parts behind the operator API. Absent: it is off (`console.enabled`). */
  readonly operator?: OperatorParts
  /** The built console. Absent: there is none. */
  readonly console?: ConsoleFiles
  /** The origins from which browser apps may call. Default: none. */
  readonly corsOrigins?: CorsOrigins
  /** HTTP connections of all clients together, on all listeners. */
  readonly maxConnections?: number
  /** Memory for bodies longer than 64 KiB that are being read. Default: 64 MB. */
  readonly longBodyBytes?: number
  /** Time-outs of the listeners. Default: `listenerTimes`. */
  readonly times?: Partial<ListenerTimes>
  /** How a refusal that must come late waits for this many milliseconds. Default: on a timer. */
  readonly wait?: (ms: number) => Promise<void>
}

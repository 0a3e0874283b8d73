import type { CorsOrigins } from '../../../app/cors-origins.ts'
import type { identify } from '../../../app/identify.ts'
import type { ingestTelemetry } from '../../../app/ingest-telemetry.ts'
import type { mqttCallbacks } from '../../../app/mqtt-callbacks.ts'
import type { ownAccount } from '../../../app/own-account.ts'
import type { ownDevices } from '../../../app/own-devices.ts'
import type { ownFeedback } from '../../../app/own-feedback.ts'
import type { ownIncident } from '../../../app/own-incident.ts'
import type { raiseSos } from '../../../app/raise-sos.ts'
import type { telemetryHistory } from '../../../app/telemetry-history.ts'
import type { tracking } from '../../../app/tracking.ts'
import type { countryPlan } from '../../../core/account/country-plan.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { ProviderCallbacks } from '../../../ports/provider-callbacks.ts'
import type { ListenerTimes } from './listener.ts'

/** How many requests a minute one user, and one address, may make; 0 is no limit. rules.md#limits. */
export type RequestLimits = { readonly perUser: number; readonly perAddress: number }

/**
 * What the REST interface and the pages are wired to: use cases, and the few things of the process that they tell of.
 */
export type HttpParts = {
  readonly identify: ReturnType<typeof identify>
  readonly raiseSos: ReturnType<typeof raiseSos>
  readonly ingestTelemetry: ReturnType<typeof ingestTelemetry>
  readonly ownIncident: ReturnType<typeof ownIncident>
  readonly ownAccount: ReturnType<typeof ownAccount>
  readonly ownDevices: ReturnType<typeof ownDevices>
  readonly ownFeedback: ReturnType<typeof ownFeedback>
  readonly telemetryHistory: ReturnType<typeof telemetryHistory>
  readonly mqttCallbacks: Pick<ReturnType<typeof mqttCallbacks>, 'mayConnect' | 'mayAccess'>
  /** The plan of a country, with the operator's overrides applied. */
  readonly countryPlan: (country: string) => ReturnType<typeof countryPlan>
  readonly tracking: ReturnType<typeof tracking>
  /** Null where no provider calls back. */
  readonly providerCallbacks?: ProviderCallbacks | null
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly meter: Meter
  /** Everything that `/metrics` shows, in the Prometheus text format. */
  readonly metricsText: () => Promise<string>
  /** Why the service is not ready; nothing when it is. */
  readonly readiness: () => Promise<readonly string[]>
  /** What the operator should know although alarms are taken and sent: said by `/readyz`, which stays 200. */
  readonly concerns?: () => readonly string[]
  /** After how many milliseconds a readiness check that gives no answer is taken for one. */
  readonly readinessMs?: number
  /**
   * `http.trustProxy`: addresses or networks whose `X-Forwarded-…` headers are believed, or a yes
   * or no for everybody's.
   */
  readonly trustProxy?: boolean | string | string[]
  /** `metrics.token`, with which `/metrics` is served to others than this machine. */
  readonly metricsToken?: string | null
  /** `mqtt.callbackToken`, without which an external broker is served on this machine only. */
  readonly callbackToken?: string | null
  /** `mqtt.callbackDenyStatus`. */
  readonly callbackDenyStatus?: 200 | 403
  /** `limits.requestsPerMinutePer…`; 0, or left out, is no limit. */
  readonly requestLimits?: RequestLimits
  /** `docs.enabled`: whether `/docs`, `/openapi.json` and `/asyncapi.json` are served. On where nothing is said. */
  readonly docs?: boolean
  /** From where browser apps may call. From nowhere where nothing is said. */
  readonly corsOrigins?: CorsOrigins
  /** HTTP connections of everybody together, on all listeners. */
  readonly maxConnections?: number
  /** Time-outs of the listeners; `listenerTimes` where nothing else is said. */
  readonly times?: Partial<ListenerTimes>
}

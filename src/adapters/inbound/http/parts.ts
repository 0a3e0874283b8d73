import type { CorsOrigins } from '../../../app/connections/cors-origins.ts'
import type { ConsoleFiles } from '../../../ports/console-files.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { Balancers } from '../door/balancers.ts'
import type { ThrottleNeeds } from './admission/throttle.ts'
import type { ListenerTimes } from './connections.ts'
import type { BrokerCallbackNeeds } from './machines/broker-callbacks.ts'
import type { LorawanNeeds } from './machines/lorawan.ts'
import type { ProviderCallbackNeeds } from './machines/provider-callbacks.ts'
import type { TrackerNeeds } from './machines/trackers.ts'
import type { UpkeepNeeds } from './machines/upkeep.ts'
import type { OperatorParts } from './operator/parts.ts'
import type { ContactNeeds } from './sdk/contacts.ts'
import type { CountryPlanNeeds } from './sdk/country-plan.ts'
import type { DeviceNeeds } from './sdk/devices.ts'
import type { FeedbackNeeds } from './sdk/feedback.ts'
import type { ProfileNeeds } from './sdk/profile.ts'
import type { ReadinessNeeds } from './sdk/readiness.ts'
import type { SosNeeds } from './sdk/sos.ts'
import type { TelemetryNeeds } from './sdk/telemetry.ts'
import type { TimerNeeds } from './sdk/timers.ts'
import type { TrackingNeeds } from './tracking/routes.ts'
import type { VerificationNeeds } from './verification/routes.ts'

type SdkNeeds = ProfileNeeds &
  ReadinessNeeds &
  ContactNeeds &
  SosNeeds &
  TimerNeeds &
  TelemetryNeeds &
  DeviceNeeds &
  CountryPlanNeeds &
  FeedbackNeeds
type MachineNeeds = BrokerCallbackNeeds & ProviderCallbackNeeds & TrackerNeeds & LorawanNeeds & UpkeepNeeds
type PageNeeds = TrackingNeeds & VerificationNeeds

/** What the REST interface and the pages need: that of each noun, and how the site is set up. */
export type HttpParts = ThrottleNeeds &
  SdkNeeds &
  MachineNeeds &
  PageNeeds & {
    readonly meter: Meter
    /** Milliseconds since the database of several nodes last answered this one. Absent: there is none. */
    readonly databaseSilentMs?: () => number
    /** `http.trustProxy`: addresses or networks whose `X-Forwarded-…` headers are trusted, or true or false for all. */
    readonly trustProxy?: boolean | string | string[]
    /** The load balancers whose connections begin with a PROXY header. Absent: none. */
    readonly balancers?: Balancers | null
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
    /** Time-outs of the listeners. Default: `listenerTimes`. */
    readonly times?: Partial<ListenerTimes>
  }

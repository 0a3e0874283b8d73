import type { HttpParts } from '../adapters/inbound/http/server.ts'
import { consoleFiles } from '../adapters/platform/console/built-files.ts'
import { countryPlans } from '../adapters/platform/system/country-plans.ts'
import { createPairingCodes } from '../adapters/platform/system/pairing-codes.ts'
import { createUserTokens, ownTokenKey } from '../adapters/platform/token/user-tokens.ts'
import { corsOrigins } from '../app/connections/cors-origins.ts'
import { identifyMqtt } from '../app/connections/identify.ts'
import { mqttCallbacks } from '../app/connections/mqtt-callbacks.ts'
import { ingestTelemetry } from '../app/ingest/ingest-telemetry.ts'
import { telemetryHistory } from '../app/ingest/telemetry-history.ts'
import { ownDevices } from '../app/user/own-devices.ts'
import { ownFeedback } from '../app/user/own-feedback.ts'
import { ownTimers } from '../app/user/own-timers.ts'
import type { Config } from '../config.ts'
import { countryPlan } from '../core/account/country-plan.ts'
import { SECOND } from '../lib/durations.ts'
import { FairTurns } from '../lib/fair-turns.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { SharedKeys } from '../ports/shared-keys.ts'
import type { Store } from '../ports/store.ts'

type Parts = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly meter: Meter
  readonly keys: SharedKeys | null
}

/** What the REST interface serves besides incidents and accounts. */
export async function restParts(config: Config, parts: Parts) {
  const { lora, limits, mqtt, dataDir } = config
  const countries = { scheme: lora.regionByteScheme, overrides: lora.countries }
  const sessionTtlMs = mqtt.sessionTtlSeconds * SECOND
  const { clock, keys } = parts
  const uploads = new FairTurns({ atOnce: 1, maxWaiting: 1 })
  const key = keys && (await keys.sharedKey('user-token', () => ownTokenKey(dataDir)))
  return {
    ownDevices: ownDevices({ ...parts, codes: createPairingCodes(), devicesPerUser: limits.devicesPerUser }),
    ownTimers: ownTimers(parts),
    ownFeedback: ownFeedback({ ...parts, tokens: createUserTokens({ dataDir, clock, key }) }),
    telemetryHistory: telemetryHistory({ store: parts.store, ingest: ingestTelemetry(parts), turns: uploads }),
    mqttCallbacks: mqttCallbacks({ ...parts, identify: identifyMqtt(parts), sessionTtlMs }),
    countryPlan: (country: string) => countryPlan(countryPlans(), country, countries),
    ...(config.console.enabled ? { console: consoleFiles() } : {}),
    corsOrigins: corsOrigins({ store: parts.store, monotonicMs: () => performance.now() }),
    callbackToken: mqtt.callbackToken?.reveal() ?? null,
    callbackDenyStatus: mqtt.callbackDenyStatus,
    requestLimits: { perUser: limits.requestsPerMinutePerUser, perAddress: limits.requestsPerMinutePerAddress },
  } satisfies Partial<HttpParts>
}

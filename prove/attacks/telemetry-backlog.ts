import { setTimeout as sleep } from 'node:timers/promises'
import { hasProgram } from '../../test/fixtures/requires.ts'
import { listenForNotices } from '../../test/systemd/notify-listener.ts'
import { CannotRun } from '../ground.ts'
import { makeShim, type Shim } from '../machine/shim.ts'
import { saturation } from './saturation.ts'
import { attackPart } from './under-attack.ts'

const CONNECTIONS = 500
const IN_FLIGHT = 128
const SYNC_MS = 250
/** The service manager's watchdog period; the service reports four times in it. */
const WATCHDOG_MS = 8000
const LOOK_EVERY_MS = 500
const FED_EVERY_MS = 50

let shim: Shim
let said: readonly string[]
const flood = saturation({ connections: CONNECTIONS, inFlight: IN_FLIGHT })

/** A service that takes alarms must report that it is alive and ready, however much telemetry waits behind them. */
export const telemetryBacklog = attackPart({
  name: 'telemetry-backlog',
  what: `${CONNECTIONS} connections with ${IN_FLIGHT} rows in flight each, while an fsync takes ${SYNC_MS} ms`,
  times: 2,
  async site(ground) {
    if (!hasProgram('python3')) throw new CannotRun('needs python3, for the service manager’s socket')
    shim = makeShim(ground)
    const notices = await listenForNotices(ground)
    said = notices.said
    return {
      env: { ...shim.environment, NOTIFY_SOCKET: notices.path, WATCHDOG_USEC: String(WATCHDOG_MS * 1000) },
    }
  },
  prepare: flood.prepare,
  async run({ ground, site, over }) {
    shim.makes({ syncDelayMs: SYNC_MS })
    const load = flood.begin(site)
    const looks = { red: 0, all: 0 }
    let fed = said.length
    let fedAt = performance.now()
    let hungryMs = 0
    // Independent of the readiness checks, each of which may take seconds.
    const watching = setInterval(() => {
      if (said.length > fed) fedAt = performance.now()
      fed = said.length
      hungryMs = Math.max(hungryMs, performance.now() - fedAt)
    }, FED_EVERY_MS)
    ground.after(() => clearInterval(watching))
    while (!over.aborted) {
      const status = await fetch(`${site.http}/readyz`).then(
        (answer) => answer.status,
        () => 0,
      )
      looks.all += 1
      if (status !== 200) looks.red += 1
      await sleep(LOOK_EVERY_MS)
    }
    clearInterval(watching)
    await load.cancel()
    shim.makes({})
    return `/readyz red ${looks.red} of ${looks.all} times; the watchdog, due every ${WATCHDOG_MS / 4000} s, was not fed for ${(hungryMs / 1000).toFixed(1)} s at most`
  },
})

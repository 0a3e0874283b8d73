import { once } from 'node:events'
import { createSystemClock } from '../adapters/platform/system/clock.ts'
import { createLog, logOutput } from '../adapters/platform/system/log.ts'
import { createNotifySocket, type NotifySocket } from '../adapters/platform/system/notify-socket.ts'
import { newestSchema } from '../adapters/stores/shared/migrations.ts'
import { becomeOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'
import { settingsIn } from '../config/environment.ts'
import type { Config } from '../config.ts'
import { SECOND } from '../lib/durations.ts'
import { release } from '../lib/release.ts'
import type { Log } from '../ports/log.ts'
import { type Service, startService } from '../service.ts'
import { ensureConsole } from './console.ts'
import { feedWatchdog } from './watchdog.ts'

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const
/** protocol.md#configuration: SIGTERM stops the service within 10 s. Anything still running then is cut off. */
const STOP_WITHIN_MS = 9.5 * SECOND

/** Runs the service until a signal stops it. A second signal ends the process immediately. */
export async function serve(config: Config, configFile: string | null): Promise<void> {
  const asked = new AbortController()
  const signalled = Promise.race(STOP_SIGNALS.map((signal) => once(process, signal, { signal: asked.signal })))
  // Before anything is opened, so that a stop during the start is clean. If the start fails, nobody awaits the promise.
  signalled.catch(() => {})
  try {
    // Credentials that only root may read, as the configuration was.
    const variables = settingsIn(process.env)
    // Before touching any data: what root has compiled is in a cache that only root may read. The
    // systemd unit provides port 443 without root (AmbientCapabilities).
    becomeOwnerOf(config.dataDir)
    const log = createLog(config.log.level, logOutput(config.log.format))
    const schema = newestSchema(config.store.url === null ? 'sqlite' : 'postgres')
    log.info({ ...release, schema }, 'Tocsin starts')
    if (process.getuid?.() === 0) {
      const { dataDir } = config
      log.warn({ dataDir }, 'running as root, because dataDir belongs to root; give the directory to a user of its own')
    }
    const service = await startService(config, { log, sources: { configFile, variables } })
    process.on('SIGHUP', () => void service.reload())
    // protocol.md#configuration: logged at every log level, and as JSON unless the output is a terminal, because other
    // programs wait for it.
    createLog('info', logOutput('auto')).info({ pid: process.pid, listeners: service.listeners }, 'ready')
    // Before systemd is told: the installer looks for the file next.
    await service.offerSetup(process.stdout.isTTY ? (text) => process.stdout.write(text) : null)
    const systemd = createNotifySocket(process.env, log)
    await systemd.tell('READY=1', 'STATUS=accepting alerts')
    const starve = await watched(service, systemd, log)
    const applications = await service.store.applications().catch(() => null)
    if (applications?.length === 0) {
      log.info({}, 'no application yet; create one with: tocsin app create --name "My app"')
    }
    if (config.console.enabled) {
      void ensureConsole(log, asked.signal).catch((error) => log.error({ err: error }, 'could not build the console'))
    }
    await signalled
    starve()
    void systemd.tell('STOPPING=1', 'STATUS=stops')
    let stopped = false
    setTimeout(() => process.exit(stopped ? 0 : 1), STOP_WITHIN_MS).unref()
    await service.stop()
    stopped = true
    log.info({}, 'stopped')
  } finally {
    asked.abort()
  }
}

/**
 * If the service manager runs a watchdog, feeds it for as long as the service makes progress. Returns a function that
 * ends that.
 */
async function watched(service: Service, systemd: NotifySocket, log: Log): Promise<() => void> {
  if (systemd.watchdogMs === null) return () => {}
  const clock = createSystemClock()
  const starve = feedWatchdog({
    periodMs: systemd.watchdogMs,
    stuck: () => service.stuck(),
    feed: () => systemd.tell('WATCHDOG=1'),
    clock,
    log,
  })
  return () => {
    starve()
    clock.stop()
  }
}

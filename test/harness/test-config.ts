import { type Config, configOf, problemText } from '../../src/config.ts'

const SECRETS_KEY = '5e'.repeat(32)

/** The configuration of a site under test: loopback, any free port, no TLS listeners, its own data directory. */
export function testConfig(dataDir: string, more: Record<string, unknown> = {}): Config {
  const off = { port: 'off' }
  const any = { host: '127.0.0.1', port: 0 }
  const tree = {
    dataDir,
    mqtt: any,
    http: any,
    mqtts: off,
    https: off,
    canary: { everyMinutes: 0 },
    notifications: { allowPrivateTargets: true },
    limits: { diskReserveMb: 1 },
    ...more,
  }
  // Nodes that share a store share the key of its secrets.
  const configured = configOf(tree, 'store' in more ? { TOCSIN_SECRETS_KEY: SECRETS_KEY } : {})
  if ('problems' in configured) throw new Error(configured.problems.map(problemText).join('\n'))
  return configured.config
}

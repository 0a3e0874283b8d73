import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { start } from '../children.ts'
import { freePort, keepForSubscriber, PATH, untilListening } from './broker.ts'
import type { Contender } from './contender.ts'

/** `sync_interval: always` came with 2.10. */
const SYNCS_FROM = [2, 10] as const

/**
 * Starts NATS with its MQTT gateway on free loopback ports, keeping messages on disk in `dir`; empty if it is not
 * installed. From version 2.10 on once more, with every message synced before it is acknowledged.
 */
export async function startNats(dir: string): Promise<readonly Contender[]> {
  const env = { ...process.env, PATH }
  const asked = spawnSync('nats-server', ['--version'], { env, encoding: 'utf8' })
  if (asked.error) return []
  const version = /v(\d\S*)/.exec(asked.stdout)?.[1] ?? 'of unknown version'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const syncs = major > SYNCS_FROM[0] || (major === SYNCS_FROM[0] && minor >= SYNCS_FROM[1])
  const started: Contender[] = []
  for (const isSynced of syncs ? [false, true] : [false]) {
    const [port, own] = [await freePort(), await freePort()]
    const name = isSynced ? 'NATS, synced' : 'NATS'
    const file = join(dir, `${isSynced ? 'nats-synced' : 'nats'}.conf`)
    writeFileSync(file, configuration({ port, own, store: `${file}.data`, isSynced }))
    const child = start('nats-server', ['-c', file], { env, stdio: 'ignore' })
    await untilListening(port)
    await keepForSubscriber(port, 'tel/#')
    started.push({ name, note: `${version}, ${isSynced ? 'synced' : 'written, not synced'}`, port, pid: child.pid! })
  }
  return started
}

type Settings = { readonly port: number; readonly own: number; readonly store: string; readonly isSynced: boolean }

const configuration = ({ port, own, store, isSynced }: Settings): string =>
  [
    'server_name: bench',
    `listen: "127.0.0.1:${own}"`,
    `jetstream { store_dir: ${JSON.stringify(store)}${isSynced ? ', sync_interval: always' : ''} }`,
    `mqtt { listen: "127.0.0.1:${port}" }`,
    '',
  ].join('\n')

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { start } from '../children.ts'
import type { Identity } from '../load/frames.ts'
import { freePort, keepForSubscriber, PATH, untilListening } from './broker.ts'
import type { Contender } from './contender.ts'

/** Debian's `rabbitmq-server` in the PATH insists on root and on the system's directories; this is the program. */
const PROGRAMS = '/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server'

/**
 * Starts RabbitMQ with its MQTT plugin on free loopback ports, keeping messages on disk in `dir`; null if it is not
 * installed. It checks the passwords of `identities`.
 */
export async function startRabbitMq(dir: string, identities: readonly Identity[]): Promise<Contender | null> {
  const [program] = globSync(PROGRAMS)
  if (program === undefined) return null
  const version = /rabbitmq_server-([^/]+)/.exec(program)?.[1] ?? 'of unknown version'
  const [port, names, distribution] = [await freePort(), await freePort(), await freePort()]
  const at = (name: string): string => join(dir, `rabbitmq-${name}`)
  writeFileSync(at('users'), definitions(identities))
  writeFileSync(at('conf'), configuration(port, at('users')))
  // Otherwise what stands before the colon of a user name is a virtual host.
  writeFileSync(at('advanced'), '[{rabbitmq_mqtt, [{ignore_colons_in_username, true}]}].')
  writeFileSync(at('plugins'), '[rabbitmq_mqtt].')
  const env = {
    ...process.env,
    PATH,
    HOME: dir,
    ERL_EPMD_PORT: String(names),
    RABBITMQ_NODENAME: 'bench@localhost',
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_MNESIA_BASE: at('data'),
    RABBITMQ_LOG_BASE: at('log'),
    RABBITMQ_PID_FILE: at('pid'),
    RABBITMQ_CONFIG_FILE: at('conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at('advanced'),
    RABBITMQ_ENABLED_PLUGINS_FILE: at('plugins'),
  }
  // Otherwise the server starts one that outlives it.
  start('epmd', ['-port', String(names), '-address', '127.0.0.1'], { env, stdio: 'ignore' })
  start(program, [], { env, stdio: 'ignore' })
  await untilListening(port)
  const pid = Number(readFileSync(at('pid'), 'utf8'))
  // The script that started it passes on SIGTERM, and no SIGKILL.
  process.once('exit', () => killed(pid))
  // It listens before it has read the users.
  const ready = start(`${program.slice(0, -'-server'.length)}ctl`, ['await_startup'], { env, stdio: 'ignore' })
  await once(ready, 'exit')
  await keepForSubscriber(port, 'tel/#')
  return { name: 'RabbitMQ', note: `${version}, synced in groups`, port, pid }
}

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

const configuration = (port: number, users: string): string =>
  [
    'listeners.tcp = none',
    `mqtt.listeners.tcp.1 = 127.0.0.1:${port}`,
    'mqtt.allow_anonymous = true',
    'mqtt.default_user = guest',
    'mqtt.default_pass = guest',
    `load_definitions = ${users}`,
    '',
  ].join('\n')

const GUEST = { username: 'guest', password: 'guest' }
const ALL = '.*'

/** RabbitMQ's definitions file: a hash is a salt of four bytes, and SHA-256 of it and the password. */
function definitions(identities: readonly Identity[]): string {
  const hashed = (password: string): string => {
    const salt = Buffer.alloc(4)
    const digest = createHash('sha256').update(salt).update(password).digest()
    return Buffer.concat([salt, digest]).toString('base64')
  }
  const users = [GUEST, ...identities]
  return JSON.stringify({
    vhosts: [{ name: '/' }],
    users: users.map(({ username, password }) => ({
      name: username,
      password_hash: hashed(password),
      hashing_algorithm: 'rabbit_password_hashing_sha256',
      tags: '',
    })),
    permissions: users.map(({ username }) => ({ user: username, vhost: '/', configure: ALL, write: ALL, read: ALL })),
  })
}

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { start } from '../children.ts'
import { type Contender, MOSQUITTO } from './contender.ts'

/** Debian installs it where only root's PATH looks. */
const PATH = [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter)
const READY_MS = 5000

/**
 * Starts Mosquitto on a free loopback port, fully in memory; null if it is not installed. `dir`: for its configuration.
 */
export async function startMosquitto(dir: string): Promise<Contender | null> {
  const env = { ...process.env, PATH }
  const help = spawnSync('mosquitto', ['-h'], { env, encoding: 'utf8' })
  if (help.error) return null
  const version = /version (\S+)/.exec(help.stdout)?.[1] ?? 'of unknown version'
  const port = await freePort()
  const file = join(dir, 'mosquitto.conf')
  writeFileSync(file, configuration(port))
  const child = start('mosquitto', ['-c', file], { env, stdio: 'ignore' })
  await untilListening(port)
  return { name: MOSQUITTO, note: `${version}, in memory`, port, pid: child.pid! }
}

const configuration = (port: number): string =>
  [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'persistence false', 'log_dest none', ''].join('\n')

/** Mosquitto cannot pick a free port and report it. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + READY_MS
  while (!(await canConnect(port))) {
    if (performance.now() > deadline) throw new Error('Mosquitto did not start')
    await wait(50)
  }
}

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

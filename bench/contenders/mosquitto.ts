import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { start } from '../children.ts'
import { freePort, PATH, untilListening } from './broker.ts'
import { type Contender, MOSQUITTO } from './contender.ts'

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

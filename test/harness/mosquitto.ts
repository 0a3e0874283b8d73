import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mqtt, { type IClientPublishOptions } from 'mqtt'
import { chirpStackUp, twelve } from '../fixtures/uplinks.ts'
import type { Ending } from './ending.ts'
import { freePort } from './free-port.ts'
import { until } from './wait.ts'

/** The tracker and the application of ChirpStack whose uplinks `mosquitto` publishes. */
export const EUI = 'a84041ffff185123'
export const APPLICATION = '17c82e96-be03-4f38-aef3-f83d48582d97'

const USER = 'tocsin'

/** A separate Mosquitto, as ChirpStack installs it. Keeps sessions in memory. `password`: of its only user `tocsin`. */
export async function mosquitto(t: Ending, { password = null }: { readonly password?: string | null } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-mosquitto-'))
  const port = await freePort()
  const file = join(directory, 'mosquitto.conf')
  const passwords = join(directory, 'passwords')
  // Started as root, it becomes a user that cannot read them.
  const access = password === null ? 'allow_anonymous true' : `user root\npassword_file ${passwords}`
  if (password !== null) execFileSync('mosquitto_passwd', ['-b', '-c', passwords, USER, password], { stdio: 'ignore' })
  await writeFile(file, `listener ${port} 127.0.0.1\n${access}\npersistence false\n`)
  const broker = spawn('/usr/sbin/mosquitto', ['-c', file], { stdio: 'ignore' })
  t.after(async () => {
    broker.kill('SIGKILL')
    await rm(directory, { recursive: true, force: true })
  })
  const url = `mqtt://127.0.0.1:${port}`
  const publisher = await until('Mosquitto accepts', () =>
    mqtt
      .connectAsync(url, { reconnectPeriod: 0, ...(password !== null && { username: USER, password }) })
      .catch(() => undefined),
  )
  t.after(() => publisher.endAsync(true))
  let counter = 0
  const commands: { readonly topic: string; readonly json: any }[] = []
  publisher.on('message', (topic, body) => void commands.push({ topic, json: JSON.parse(body.toString()) }))
  await publisher.subscribeAsync('application/+/device/+/command/+', { qos: 1 })
  return {
    url,
    /** What was published for ChirpStack. */
    commands: commands as readonly (typeof commands)[number][],
    /** Another event of the tracker. */
    event: (name: string, body: object) =>
      publisher.publishAsync(
        `application/${APPLICATION}/device/${EUI}/event/${name}`,
        JSON.stringify({ deviceInfo: { applicationId: APPLICATION, devEui: EUI }, ...body }),
        { qos: 1 },
      ),
    async uplink(port = 3, at = '2026-01-01T12:00:00Z'): Promise<void> {
      counter += 1
      const body = chirpStackUp({ devEui: EUI, at, counter, port, bytes: twelve({}) })
      const topic = `application/${APPLICATION}/device/${EUI}/event/up`
      await publisher.publishAsync(topic, JSON.stringify(body), { qos: 1 })
    },
    /** Ends the broker. */
    async stop(): Promise<void> {
      const ended = once(broker, 'exit')
      broker.kill('SIGKILL')
      await ended
    },
    publish: (topic: string, body: string, options: IClientPublishOptions = {}) =>
      publisher.publishAsync(topic, body, { qos: 1, ...options }),
  }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMoment } from '../../test/harness/moment.ts'
import { startProcessSite } from '../../test/harness/process-site.ts'
import { COMMON } from '../environment.ts'
import type { Ground } from '../ground.ts'
import type { Part } from '../part.ts'
import { rowOf, unmet } from '../row.ts'

const PEOPLE = 10
/** Nothing but texts: a call would take the place of one that is missing. */
const SETTINGS = { 'grace-seconds': 0, 'ack-timeout-seconds': 300 }
const RESETS_MS = 15_000
/** A text whose outcome is unknown is repeated after 5 s and 15 s: the last try comes within this time. */
const SOON_MS = 12_000
/** Closing texts are tried ten times. */
const CLOSING_MS = 60_000

/** A gateway for texts that reads each message and resets the connection, until it is `back`. */
async function startGateway(ground: Ground) {
  const taken: { readonly to: string; readonly text: string; readonly at: number }[] = []
  let resets = 0
  let isBack = false
  const server = createServer(async (request, response) => {
    const message = JSON.parse(await textOf(request))
    if (isBack) {
      taken.push({ to: message.to, text: message.text, at: performance.now() })
      response.end('{}')
      return
    }
    resets += 1
    request.socket.resetAndDestroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ground.after(() => server.close())
  ground.after(() => server.closeAllConnections())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken,
    resets: () => resets,
    is(back: boolean) {
      isBack = back
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

/** Whether it becomes true within `maxMs`. */
async function soon(isSo: () => boolean, maxMs: number): Promise<boolean> {
  const deadline = performance.now() + maxMs
  while (!isSo() && performance.now() < deadline) await sleep(50)
  return isSo()
}

/** Nobody knows whether a text went out whose connection was reset: it is sent again, alarms and closing texts. */
export const gatewayResets: Part = {
  name: 'gateway-resets',
  what: `a gateway that takes every message and resets the connection, for 15 s after ${PEOPLE} presses and for 15 s after their end`,
  async run(ground) {
    const gateway = await startGateway(ground)
    const site = await startProcessSite(ground, {
      settings: SETTINGS,
      env: { ...COMMON, TOCSIN_NOTIFICATIONS_PROVIDERS: 'http', TOCSIN_GATEWAY_URL: gateway.url },
    })
    await site.tocsin('app', 'update', site.appId, '--verify-contacts', 'off')
    const people = await Promise.all(
      Array.from({ length: PEOPLE }, (_, n) => site.user(`p-${n}`, [{ name: 'Ana', phone: `+43660000010${n}` }])),
    )
    const reached = (since: number): number =>
      new Set(gateway.taken.filter(({ at }) => at >= since).map(({ to }) => to)).size
    /** Resets connections for 15 s from now on, and returns what came within `maxMs` of its return. */
    const outage = async (act: () => Promise<unknown>, maxMs: number) => {
      gateway.is(false)
      await act()
      await sleep(RESETS_MS)
      gateway.is(true)
      const back = performance.now()
      await soon(() => reached(back) === PEOPLE, maxMs)
      const last = Math.max(back, ...gateway.taken.map(({ at }) => at))
      return { reached: reached(back), tookMs: last - back }
    }
    const presses = () =>
      Promise.all(people.map((user) => user.rest('POST', '/v1/sdk/sos', { timestamp: newMoment() })))
    const cancels = () => Promise.all(people.map((user) => user.rest('POST', '/v1/sdk/sos/cancel')))
    const alarms = await outage(presses, SOON_MS)
    const closings = await outage(cancels, CLOSING_MS)
    const missing = 2 * PEOPLE - alarms.reached - closings.reached
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
    return [
      rowOf({
        part: gatewayResets.name,
        what: gatewayResets.what,
        acknowledged: PEOPLE,
        lost: missing,
        remark: `${gateway.resets()} resets; the last alarm came ${seconds(alarms.tookMs)} after it was back, the last closing text ${seconds(closings.tookMs)}`,
        faults: unmet({
          'every alarm came': alarms.reached === PEOPLE,
          'every closing text came': closings.reached === PEOPLE,
        }),
      }),
    ]
  },
}

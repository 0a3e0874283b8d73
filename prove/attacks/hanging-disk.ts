import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeShim, type Shim } from '../machine/shim.ts'
import { whenOver } from './raw-http.ts'
import { attackPart } from './under-attack.ts'

const ROWS = 1000
const MAX_REQUESTS = 2000
const AT_ONCE = 400

let shim: Shim

/** How much one user may have waiting for a disk that does not answer. */
export const hangingDisk = attackPart({
  name: 'hanging-disk',
  what: `no fsync returns; A uploads telemetry, ${ROWS} rows a request, within the default limits`,
  site(ground) {
    shim = makeShim(ground)
    return { env: shim.environment }
  },
  async run({ site, over }) {
    const a = await site.user('a')
    const headers = {
      'x-app-id': a.account.appId,
      'x-user-id': a.account.externalUserId,
      authorization: `Bearer ${a.hash}`,
      'content-type': 'application/json',
    }
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    const answers = new Map<string, number>()
    let requests = 0
    const upload = (): Promise<string> =>
      new Promise((resolve) => {
        const posting = request(
          `${site.http}/v1/sdk/telemetry/history`,
          { method: 'POST', headers, agent },
          (answer) => {
            answer.resume()
            answer.once('close', () => resolve(String(answer.statusCode)))
          },
        )
        posting.once('error', () => resolve('cut off'))
        over.addEventListener('abort', () => posting.destroy(), { once: true })
        posting.end(bodyOf(requests))
      })
    const lane = async (): Promise<void> => {
      while (!over.aborted && requests < MAX_REQUESTS) {
        requests += 1
        const answer = await upload()
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
        if (answer !== '200') await sleep(500)
      }
    }
    shim.makes({ syncHangs: 1 })
    const lanes = Array.from({ length: AT_ONCE }, lane)
    await whenOver(over)
    shim.makes({})
    await Promise.all(lanes)
    agent.destroy()
    const counts = [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')
    return `${requests} requests: ${counts}; late are those who pressed while nothing could be stored`
  },
})

/** Rows that are not repeated anywhere. */
function bodyOf(number: number): string {
  const from = Date.UTC(2026, 0, 1) + number * ROWS
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    timestamp: new Date(from + n).toISOString(),
    latitude: 46.537112,
    longitude: 12.139223,
    altitude: 2417.5,
    mobileCoverage: { networkType: 'x'.repeat(64), isConnected: true, signalStrength: -84 },
    mobileBattery: 76,
  }))
  return JSON.stringify(rows)
}

import { request } from 'node:http'
import type { PhoneUser } from '../../test/harness/phone-user.ts'
import { attackPart } from './under-attack.ts'

const INCIDENTS = 100
const POSITIONS = 1000
const READERS = 200
const MAX_REQUESTS = 1000
const AGAIN_MS = 500

let a: PhoneUser

/** The largest possible pages, requested by many readers at the same time. */
export const historyReaders = attackPart({
  name: 'history-readers',
  what: `${READERS} readers of A's history, ${INCIDENTS} incidents with ${POSITIONS} positions each`,
  times: 3,
  async prepare({ site }) {
    a = await site.user('a')
    for (let n = 0; n < INCIDENTS; n++) {
      const at = Date.now()
      await a.rest('POST', '/v1/sdk/sos', { timestamp: new Date(at).toISOString() })
      const rows = Array.from({ length: POSITIONS }, (_, row) => ({
        timestamp: new Date(at + row).toISOString(),
        latitude: 46.537112 + row / 10_000,
        longitude: 12.139223 + row / 10_000,
        altitude: 2417.5,
      }))
      await a.rest('POST', '/v1/sdk/telemetry/history', rows)
      await a.rest('POST', '/v1/sdk/sos/cancel')
    }
  },
  async run({ site, over }) {
    const statuses = new Map<number | string, number>()
    let bytes = 0
    let requests = 0
    const headers = {
      'x-app-id': a.account.appId,
      'x-user-id': a.account.externalUserId,
      authorization: `Bearer ${a.hash}`,
    }
    const read = (): Promise<number | string> =>
      new Promise((resolve) => {
        const asking = request(`${site.http}/v1/sdk/sos/history?limit=100`, { headers, agent: false }, (answer) => {
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          answer.once('close', () => resolve(answer.statusCode ?? 0))
        })
        asking.once('error', (error: NodeJS.ErrnoException) =>
          resolve(over.aborted ? 'not answered by the end' : (error.code ?? 'error')),
        )
        over.addEventListener('abort', () => asking.destroy(), { once: true })
        asking.end()
      })
    const reader = async (): Promise<void> => {
      while (!over.aborted && requests < MAX_REQUESTS) {
        requests += 1
        const status = await read()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        // A reader who is told to come back later does so.
        if (status !== 200) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      }
    }
    await Promise.all(Array.from({ length: READERS }, reader))
    const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    return `${answers}; ${Math.round(bytes / 1e6)} MB read`
  },
})

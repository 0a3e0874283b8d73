import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Ending } from '../harness/ending.ts'
import { type ProcessSite, startProcessSite, UNHURRIED } from '../harness/process-site.ts'
import type { Way } from './client.ts'

export type EdgeSite = { readonly site: ProcessSite; readonly ways: readonly Way[] }

/** A site whose service has all its listeners, with TLS from its local CA. */
export async function startEdgeSite(t: Ending): Promise<EdgeSite> {
  const site = await startProcessSite(t, {
    settings: UNHURRIED,
    env: {
      TOCSIN_MQTTS_HOST: '127.0.0.1',
      TOCSIN_MQTTS_PORT: '0',
      TOCSIN_HTTPS_HOST: '127.0.0.1',
      TOCSIN_HTTPS_PORT: '0',
    },
  })
  const listeners = site.process.lines.find(({ msg }) => msg === 'ready')?.listeners
  assert.deepEqual(Object.keys(listeners).sort(), ['http', 'https', 'mqtt', 'mqtts'])
  const ca = join(site.dataDir, 'tls', 'ca.crt')
  return {
    site,
    ways: [
      { transport: 'tcp', url: listeners.mqtt, ca: null },
      { transport: 'tls', url: listeners.mqtts, ca },
      { transport: 'ws', url: `${listeners.http.replace('http:', 'ws:')}/mqtt`, ca: null },
      { transport: 'wss', url: `${listeners.https.replace('https:', 'wss:')}/mqtt`, ca },
    ],
  }
}

import type { HttpNeeds } from '../../../../src/adapters/inbound/http/app.ts'
import { createApp } from '../../../../src/adapters/inbound/http/app.ts'
import { operatorStandIn } from './operator/stand-in.ts'
import { standIn } from './stand-in.ts'

/** The parts that a site only has where it is configured so. */
const machines: Pick<HttpNeeds, 'trackers' | 'lorawan' | 'providerCallbacks'> = {
  trackers: {
    of: async () => null,
    reports: { take: noReport, heard: noReport, ofNobody: noReport, unreadable: noReport },
  },
  lorawan: { servers: new Map(), take: noReport },
  providerCallbacks: { status: async () => ({ done: true }), call: async () => ({ refused: 'forged' }) },
}
async function noReport(): Promise<never> {
  throw new Error('nothing is reported here')
}

/** The OpenAPI document of a site that has every route. Answers without a listener: nothing here opens a port. */
export async function wholeDocument(): Promise<any> {
  const app = await createApp({ ...standIn().parts, ...machines, operator: operatorStandIn() })
  const document = (await app.inject('/openapi.json')).json()
  await app.close()
  return document
}

/** Each operation of a document by its method and path. */
export const operationsOf = (paths: Record<string, Record<string, any>>) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  )

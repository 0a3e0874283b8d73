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
  providerCallbacks: {
    status: async () => ({ done: true }),
    sms: async () => ({ done: true }),
    call: async () => ({ refused: 'forged' }),
  },
}
async function noReport(): Promise<never> {
  throw new Error('nothing is reported here')
}

/** Where the OpenAPI documents are: for apps, for operators, and for MQTT brokers. */
export const DOCUMENTS = ['/openapi.json', '/openapi-operator.json', '/openapi-broker.json'] as const

/**
 * The OpenAPI documents of a site that has every route, in the order of `DOCUMENTS`. Answers without a listener:
 * nothing here opens a port.
 */
export async function everyDocument(): Promise<readonly any[]> {
  const app = await createApp({ ...standIn().parts, ...machines, operator: operatorStandIn() })
  const documents = []
  for (const path of DOCUMENTS) documents.push((await app.inject(path)).json())
  await app.close()
  return documents
}

/** All of them as one. */
export async function wholeDocument(): Promise<any> {
  const documents = await everyDocument()
  const all = (part: (document: any) => object) => Object.assign({}, ...documents.map(part))
  return {
    openapi: documents[0].openapi,
    paths: all(({ paths }) => paths),
    components: {
      schemas: { ...all(({ components }) => components.schemas), ErrorCode: { type: 'string' } },
      securitySchemes: all(({ components }) => components.securitySchemes),
    },
  }
}

/** Each operation of a document by its method and path. */
export const operationsOf = (paths: Record<string, Record<string, any>>) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  )

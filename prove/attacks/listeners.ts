import type { ProcessSite } from '../../test/harness/process-site.ts'

/** For a service with all its listeners, and a certificate of its local CA. */
export const WITH_TLS = {
  TOCSIN_MQTTS_HOST: '127.0.0.1',
  TOCSIN_MQTTS_PORT: '0',
  TOCSIN_HTTPS_HOST: '127.0.0.1',
  TOCSIN_HTTPS_PORT: '0',
} as const

/** The ports of its TLS listeners. */
export function listenersOf({ process }: ProcessSite): { readonly mqtts: number; readonly https: number } {
  const { listeners } = process.lines.find(({ msg }) => msg === 'ready')!
  const portOf = (url: string): number => Number(new URL(url).port)
  return { mqtts: portOf(listeners.mqtts), https: portOf(listeners.https) }
}

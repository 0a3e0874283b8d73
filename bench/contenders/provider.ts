import { once } from 'node:events'
import { end, startModule } from '../children.ts'

const PROCESS = new URL('./provider-process.ts', import.meta.url)

/** An SMS as the provider received it. `at`: epoch ms of the request. */
type Received = { readonly to: string; readonly text: string; readonly at: number }

/** A stand-in for an SMS provider, as a separate process. */
export type Provider = {
  /** Environment variables that make the service send through it. */
  readonly environment: Readonly<Record<string, string>>
  /** The messages received since the last call. */
  received(): Promise<readonly Received[]>
  stop(): Promise<void>
}

export async function startProvider(answerMs: number): Promise<Provider> {
  const child = startModule(PROCESS, [String(answerMs)])
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    environment: {
      TOCSIN_NOTIFICATIONS_PROVIDERS: 'twilio',
      TOCSIN_TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000000',
      TOCSIN_TWILIO_AUTH_TOKEN: 'benchmark',
      TOCSIN_TWILIO_FROM: '+12025550123',
      TOCSIN_TWILIO_BASE_URL: `http://127.0.0.1:${port}`,
      TOCSIN_TWILIO_RECEIPTS: 'callback',
      TOCSIN_PUBLIC_URL: 'https://bench.invalid',
    },
    async received() {
      const answer = once(child, 'message')
      child.send('received')
      const [{ got }] = (await answer) as [{ got: readonly Received[] }]
      return got
    },
    stop: () => end(child),
  }
}

import { end, startModule } from '../children.ts'

const PROCESS = new URL('./callers-process.ts', import.meta.url)

export type CallOrder = { readonly port: number; readonly isSecure: boolean; readonly perSecond: number }

/** Connections that were made, and those that failed. */
export type Called = { readonly seconds: number; readonly made: number; readonly failed: number }

/** Connects again and again, `perSecond` times, and leaves once connected, from a separate process. */
export function callOnAndOn(order: CallOrder): { stop(): Promise<Called> } {
  const child = startModule(PROCESS, [])
  child.send(order)
  return {
    async stop() {
      const called = new Promise<Called>((resolve, reject) => {
        child.once('message', resolve)
        child.once('exit', () => reject(new Error('the process that calls has ended')))
      })
      child.send('stop')
      try {
        return await called
      } finally {
        await end(child)
      }
    },
  }
}

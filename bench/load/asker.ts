import { end, startModule } from '../children.ts'

const PROCESS = new URL('./asker-process.ts', import.meta.url)

export type AskOrder = {
  readonly origin: string
  readonly authorization: string
  /** Asked for in turn, over and over. */
  readonly paths: readonly string[]
  readonly connections: number
}

/** `statuses`: how often each came. */
export type Asked = { readonly seconds: number; readonly statuses: Readonly<Record<string, number>> }

/** Sends requests to one service as fast as it answers, from a separate process. */
export function askOnAndOn(order: AskOrder): { stop(): Promise<Asked> } {
  const child = startModule(PROCESS, [])
  child.send(order)
  return {
    async stop() {
      const asked = new Promise<Asked>((resolve, reject) => {
        child.once('message', resolve)
        child.once('exit', () => reject(new Error('the process that asks has ended')))
      })
      child.send('stop')
      try {
        return await asked
      } finally {
        await end(child)
      }
    },
  }
}

import { Worker } from 'node:worker_threads'

/** A thread that answers one question repeatedly. */
export type ThreadOnDemand<A> = {
  /** Resolves with the answer, which calls made in the meantime share. Rejects with the reason if the thread ends. */
  ask(): Promise<A>
  close(): Promise<void>
}

/**
 * A thread that runs `script` with the database at `path`. It starts with the first question, and again after it has
 * died; it does not keep the process alive.
 */
export function threadOnDemand<A>(script: URL, name: string, path: string): ThreadOnDemand<A> {
  let thread: Worker | null = null
  let asked: PromiseWithResolvers<A> | null = null

  const settled = (): PromiseWithResolvers<A> | null => {
    const question = asked
    asked = null
    return question
  }

  const start = (): Worker => {
    const worker = new Worker(script, { workerData: path, name, execArgv: [] })
    worker.unref()
    worker.on('message', (answer: A) => settled()?.resolve(answer))
    worker.on('error', (error) => lost(error))
    worker.on('exit', () => lost(new Error('its thread exited')))
    return worker

    function lost(why: Error): void {
      if (thread !== worker) return
      thread = null
      settled()?.reject(why)
    }
  }

  return {
    ask() {
      if (asked !== null) return asked.promise
      const question = Promise.withResolvers<A>()
      asked = question
      try {
        thread ??= start()
        thread.postMessage('ask')
      } catch (error) {
        asked = null
        question.reject(error)
      }
      return question.promise
    },
    async close() {
      await thread?.terminate()
    },
  }
}

import { CannotRun, Ground } from './ground.ts'
import { type Row, rowOf } from './row.ts'
import type { Size } from './size.ts'

export type Part = {
  readonly name: string
  /** For the row of a part that cannot run or breaks. */
  readonly what: string
  /** Throws `CannotRun` if the machine lacks something. */
  run(ground: Ground, size: Size): Promise<readonly Row[]>
}

/**
 * Runs one part on a ground of its own, and ends everything that it started. Never rejects: a machine that cannot run
 * it, a fault, and a part that takes longer than `size.timeoutMs` become rows too.
 */
export async function runPart({ name, what, run }: Part, size: Size): Promise<readonly Row[]> {
  const ground = new Ground()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(reject, size.timeoutMs, new Error(`not over after ${size.timeoutMs / 1000} s`))
  })
  try {
    const running = run(ground, size)
    // After its time-out it may run on for a moment, on ground that is being cleaned up.
    running.catch(() => {})
    return await Promise.race([running, timeout])
  } catch (error) {
    const { message } = error as Error
    if (error instanceof CannotRun) return [rowOf({ part: name, what, skipped: message })]
    return [rowOf({ part: name, what, remark: `BROKE: ${firstLine(message)}`, faults: ['it came to its end'] })]
  } finally {
    clearTimeout(timer)
    for (const error of await ground.end()) process.stderr.write(`${name}: ${error.stack}\n`)
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!

import { CannotRun, Ground } from './ground.ts'
import { type Row, rowOf } from './row.ts'
import type { Size } from './size.ts'

export type Part = {
  readonly name: string
  /** For the row where it cannot run or breaks. */
  readonly what: string
  /** Throws `CannotRun` where the machine lacks something. */
  run(ground: Ground, size: Size): Promise<readonly Row[]>
}

/**
 * Runs one part on a ground of its own, and ends everything that it started. Never rejects: a machine that cannot, a
 * fault and a part that does not end within `size.patienceMs` are rows too.
 */
export async function runPart({ name, what, run }: Part, size: Size): Promise<readonly Row[]> {
  const ground = new Ground()
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(reject, size.patienceMs, new Error(`not over after ${size.patienceMs / 1000} s`))
  })
  try {
    const running = run(ground, size)
    // It may go on for a moment after its time, on ground that is being taken away.
    running.catch(() => {})
    return await Promise.race([running, patience])
  } catch (error) {
    const { message } = error as Error
    if (error instanceof CannotRun) return [rowOf({ part: name, what, skipped: message })]
    return [rowOf({ part: name, what, remark: `BROKE: ${firstLine(message)}` })]
  } finally {
    clearTimeout(timer)
    for (const error of await ground.end()) process.stderr.write(`${name}: ${error.stack}\n`)
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!

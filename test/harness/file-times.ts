import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** What a test that a file declares at its top took: by the clock, and of the processors. */
type TestTime = { readonly file: string; readonly seconds: number; readonly processorSeconds: number }

/** proc(5): times are in ticks of this many a second, on every machine that Node runs on. */
const TICKS_PER_SECOND = 100

/**
 * The processor time of this process and of the programs that it started and that have ended. 0 if not on Linux. Leaves
 * out what ends after its parent: the processes of PostgreSQL, and most of Chromium's.
 */
export function processorSeconds(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The name of the program, in parentheses, may hold anything. utime, stime, cutime and cstime are the 14th to 17th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}

/** Begins to watch all processors of the machine. Returns the share of them that was busy since then, 0 to 1. */
export function watchProcessors(): () => number {
  const now = () => {
    const times = cpus().map((one) => one.times)
    const idle = times.reduce((sum, one) => sum + one.idle, 0)
    return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) }
  }
  const before = now()
  return () => {
    const after = now()
    return 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all)
  }
}

/**
 * A reporter for `test/run.ts`: a line of JSON for each test that a file declares at its top. The files of a process
 * run one after the other, so the processor time since the test before belongs to this one. Loading all files counts
 * for the first.
 */
export default async function* fileTimes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let before = 0
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 0 || data.file === undefined) continue
    const now = processorSeconds()
    const time: TestTime = {
      file: relative(process.cwd(), data.file),
      seconds: data.details.duration_ms / 1000,
      processorSeconds: now - before,
    }
    before = now
    yield `${JSON.stringify(time)}\n`
  }
}

/** The files of the reports (each what the reporter wrote in one process), the longest first. */
export function longestFiles(
  reports: readonly { readonly text: string; readonly name: (file: string) => string }[],
  count: number,
): readonly string[] {
  const times = reports.flatMap(({ text, name }) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): TestTime => JSON.parse(line))
      .map((time) => ({ ...time, file: name(time.file) })),
  )
  return [...Map.groupBy(times, ({ file }) => file)]
    .map(([file, tests]) => ({
      file,
      seconds: tests.reduce((sum, test) => sum + test.seconds, 0),
      processorSeconds: tests.reduce((sum, test) => sum + test.processorSeconds, 0),
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(
      ({ file, seconds, processorSeconds }) =>
        `${Math.round(seconds)} s, ${Math.round(processorSeconds)} s of processor time: ${file}`,
    )
}

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endAll } from './children.ts'
import { compareFigures } from './compare.ts'
import { BadFile, type Figures, readFigures } from './figures.ts'
import { measure } from './measure.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { formatComparison } from './report/comparison.ts'
import { formatReport } from './report/report.ts'

/** Where the service would keep its data: on a disk, whose syncs are part of the measurement. */
const DATA = fileURLToPath(new URL('../data/', import.meta.url))

const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** Reads FILE before anything is measured: a mistake must not cost five minutes. */
function earlierFigures(file: string | null): Figures | null {
  try {
    return file === null ? null : readFigures(file)
  } catch (error) {
    if (!(error instanceof BadFile)) throw error
    say(`error: ${error.message}`)
    process.exit(2)
  }
}

const options = readOptions(process.argv.slice(2))
if (options === null) {
  process.stderr.write(USAGE)
  process.exit(2)
}
const before = earlierFigures(options.compare)

/** With `--json` stdout has one line, and the comparison goes to stderr. */
function show(figures: Figures, { json, compare }: Options): void {
  process.stdout.write(json ? `${JSON.stringify(figures)}\n` : formatReport(figures))
  if (before === null) return
  const comparison = formatComparison(compare!, before, figures, compareFigures(before, figures))
  ;(json ? process.stderr : process.stdout).write(comparison)
}

if (options.from !== null) {
  show(earlierFigures(options.from)!, options)
  process.exit(0)
}

mkdirSync(DATA, { recursive: true })
const dir = mkdtempSync(`${DATA}bench-`)
/** Whatever happens, no process that was started stays behind. */
const leave = async (code: number): Promise<never> => {
  await endAll()
  rmSync(dir, { recursive: true, force: true })
  process.exit(code)
}
let leaving = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!leaving) void leave(130)
    leaving = true
  })
}

try {
  show(await measure(options, { dir, say }), options)
  await leave(0)
} catch (error) {
  if (!leaving) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
    await leave(1)
  }
}

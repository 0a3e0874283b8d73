import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { endAll } from '../bench/children.ts'
import { type Part, runPart } from './part.ts'
import { parts } from './parts.ts'
import { asMarkdown, asText } from './report.ts'
import type { Row } from './row.ts'
import { full, quick } from './size.ts'

const USAGE = `npm run prove -- [--only NAME[,NAME]] [--quick] [--json FILE] [--markdown]

  --only      some of the parts: ${parts.map(({ name }) => name).join(', ')}
  --quick     less of everything: shows that it works, proves little
  --json      writes the rows to FILE
  --markdown  the table as docs/reliability.md has it; progress goes to stderr either way
`

type Options = {
  readonly chosen: readonly Part[]
  readonly quick: boolean
  readonly json: string | null
  readonly markdown: boolean
}

function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        markdown: { type: 'boolean', default: false },
      },
    })
    const names = values.only?.split(',') ?? parts.map(({ name }) => name)
    if (names.some((name) => !parts.some((part) => part.name === name))) return null
    const chosen = parts.filter(({ name }) => names.includes(name))
    return { chosen, quick: values.quick, json: values.json ?? null, markdown: values.markdown }
  } catch {
    return null
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)

const options = readOptions()
if (options === null) {
  process.stderr.write(USAGE)
  process.exit(2)
}

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    say('ending what was started, then leaving')
    interrupted = true
  })
}

const rows: Row[] = []
const began = performance.now()
const seconds = (): string => `${Math.round((performance.now() - began) / 1000)} s`
for (const part of options.chosen) {
  if (interrupted) break
  say(`${seconds()}: ${part.name}: ${part.what}`)
  rows.push(...(await runPart(part, options.quick ? quick : full)))
  // After each part, so that a run which is cut short leaves what it has.
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(rows, null, 1)}\n`)
}
await endAll()
say(`over after ${seconds()}`)
process.stdout.write(options.markdown ? asMarkdown(rows) : asText(rows))
process.exit(interrupted ? 130 : 0)

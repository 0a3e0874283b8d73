import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { endAll } from './children.ts'
import { startAedes } from './contenders/aedes.ts'
import type { Contender } from './contenders/contender.ts'
import { startMosquitto } from './contenders/mosquitto.ts'
import { startTocsin } from './contenders/tocsin.ts'
import { describeMachine } from './machine.ts'
import { measureConnections } from './measurements/connections.ts'
import { measureDeadlines } from './measurements/deadlines.ts'
import { measureIngest } from './measurements/ingest.ts'
import { measureNotifications } from './measurements/notifications.ts'
import { measurePress } from './measurements/press.ts'
import { aims, full, quick, shapes } from './plan.ts'
import { type Figures, formatReport } from './report.ts'

const USAGE = `npm run bench -- [--quick] [--only ingest|press|deadlines|notifications|connections] [--json]

  --quick   less of everything, in under half a minute: shows that it works, not how fast
  --only    one of the measurements
  --json    the figures as one line of JSON on stdout (with npm run -s); progress goes to stderr either way
`
const PARTS = ['ingest', 'press', 'deadlines', 'notifications', 'connections'] as const
type Part = (typeof PARTS)[number]
type Options = { readonly quick: boolean; readonly only: Part | null; readonly json: boolean }

/** Where the service would keep its data: on a disk, whose syncs are part of the measurement. */
const DATA = fileURLToPath(new URL('../data/', import.meta.url))

function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const only = values.only === undefined ? null : PARTS.find((part) => part === values.only)
    return only === undefined ? null : { quick: values.quick, json: values.json, only }
  } catch {
    return null
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)

async function measure(options: Options, dir: string): Promise<Figures> {
  const plan = options.quick ? quick : full
  const wanted = (part: Part): boolean => options.only === null || options.only === part
  const machine = describeMachine(dir)
  const tocsin = await startTocsin(dir)
  const identities = wanted('ingest') || wanted('press') ? await publishers(tocsin) : []

  let ingest: Figures['ingest'] = null
  const missing: string[] = []
  if (wanted('ingest')) {
    const mosquitto = await startMosquitto(dir)
    if (mosquitto === null) missing.push('Mosquitto')
    const peers: Contender[] = [await startAedes(), ...(mosquitto === null ? [] : [mosquitto])]
    ingest = await measureIngest({ tocsin, peers, identities, say }, plan.ingest)
  }

  let press: Figures['press'] = null
  if (wanted('press')) {
    const known =
      ingest ??
      (await measureIngest({ tocsin, peers: [], identities, say }, { ...plan.ingest, rounds: 1 }, [shapes[0]]))
    const telemetry = identities.slice(0, shapes[0].connections)
    press = await measurePress({ tocsin, telemetry, say }, known[0]!.rates[0]!.median, plan.press)
  }

  const deadlines = wanted('deadlines') ? await measureDeadlines({ tocsin, say }, plan.deadlines) : null
  await tocsin.stop()
  const notifications = wanted('notifications') ? await measureNotifications({ dir, say }, plan.notifications) : null
  const connections = wanted('connections') ? await measureConnections({ dir, say }, plan.connections) : null
  return { machine, quick: options.quick, missing, aims, ingest, press, deadlines, notifications, connections }
}

/** One user per connection, as with trackers. */
async function publishers(tocsin: Awaited<ReturnType<typeof startTocsin>>) {
  const application = await tocsin.createApplication('bench')
  return tocsin.createUsers(application, 'tracker', Math.max(...shapes.map(({ connections }) => connections)), 0)
}

const options = readOptions()
if (options === null) {
  process.stderr.write(USAGE)
  process.exit(2)
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
  const figures = await measure(options, dir)
  process.stdout.write(options.json ? `${JSON.stringify(figures)}\n` : formatReport(figures))
  await leave(0)
} catch (error) {
  if (!leaving) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
    await leave(1)
  }
}

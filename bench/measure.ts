import { CannotRun } from '../prove/ground.ts'
import { startAedes } from './contenders/aedes.ts'
import { startBare } from './contenders/bare.ts'
import { startMosquitto } from './contenders/mosquitto.ts'
import { startNats } from './contenders/nats.ts'
import { startRabbitMq } from './contenders/rabbitmq.ts'
import { startTocsin, type Tocsin } from './contenders/tocsin.ts'
import type { Figures } from './figures.ts'
import type { Identity } from './load/frames.ts'
import { describeMachine } from './machine.ts'
import { measureApps } from './measurements/apps.ts'
import { measureConnections } from './measurements/connections.ts'
import { measureConsole } from './measurements/console.ts'
import { measureDeadlines } from './measurements/deadlines.ts'
import { measureFlooder } from './measurements/flooder.ts'
import { measureGrowth } from './measurements/growth.ts'
import { measureIngest } from './measurements/ingest.ts'
import { measureNodes } from './measurements/nodes.ts'
import { measureNotifications } from './measurements/notifications.ts'
import { measurePress } from './measurements/press.ts'
import { measureSlowDisk } from './measurements/slow-disk.ts'
import { measureSoak } from './measurements/soak.ts'
import { measureStartUp } from './measurements/start-up.ts'
import type { Options, Part } from './options.ts'
import { aims, shapes } from './plan.ts'

type Ground = { readonly dir: string; readonly say: (line: string) => void }
type Some = Partial<Figures>
type Series = { readonly parts: readonly Part[]; run(): Promise<Some> }

/** Makes the chosen measurements, one after another unless the plan says otherwise. */
export async function measure({ plan, quick, parts }: Options, ground: Ground): Promise<Figures> {
  const wanted = (part: Part): boolean => parts.includes(part)
  const missing: string[] = []
  const machine = describeMachine(ground.dir)
  const series: readonly Series[] = [
    { parts: ['ingest', 'press', 'deadlines'], run: () => onOneService(plan, wanted, ground, missing) },
    { parts: ['flooder'], run: async () => ({ flooder: await measureFlooder(ground, plan.flooder) }) },
    { parts: ['slow-disk'], run: async () => ({ slowDisk: await slowDisk(plan, ground, missing) }) },
    {
      parts: ['notifications'],
      run: async () => ({ notifications: await measureNotifications(ground, plan.notifications) }),
    },
    { parts: ['connections'], run: async () => ({ connections: await measureConnections(ground, plan.connections) }) },
    { parts: ['start-up'], run: async () => ({ startUp: await measureStartUp(ground, plan.startUp) }) },
    { parts: ['console'], run: async () => ({ console: await measureConsole(ground, plan.console) }) },
    { parts: ['apps'], run: async () => ({ apps: await measureApps(ground, plan.apps) }) },
    { parts: ['nodes'], run: async () => ({ nodes: await nodes(plan, ground, missing) }) },
    { parts: ['growth'], run: async () => ({ growth: await measureGrowth(ground, plan.growth) }) },
    { parts: ['soak'], run: async () => ({ soak: await measureSoak(ground, plan.soak) }) },
  ]
  const chosen = series.filter((one) => one.parts.some(wanted))
  const figures: Some[] = []
  const lane = async (): Promise<void> => {
    for (let next = chosen.shift(); next !== undefined; next = chosen.shift()) figures.push(await next.run())
  }
  await Promise.all(Array.from({ length: plan.atOnce }, lane))
  return Object.assign({ machine, quick, missing, aims, ...nothing }, ...figures)
}

const nothing = {
  ingest: null,
  press: null,
  deadlines: null,
  flooder: null,
  slowDisk: null,
  notifications: null,
  connections: null,
  startUp: null,
  console: null,
  apps: null,
  nodes: null,
  growth: null,
  soak: null,
} as const

/** The measurements that one service with its usual settings serves. */
async function onOneService(
  plan: Options['plan'],
  wanted: (part: Part) => boolean,
  { dir, say }: Ground,
  missing: string[],
): Promise<Some> {
  const tocsin = await startTocsin(dir)
  const identities = wanted('ingest') || wanted('press') ? await publishers(tocsin) : []
  const peersOf = async () => {
    const installed = {
      Mosquitto: [await startMosquitto(dir)],
      NATS: await startNats(dir),
      RabbitMQ: [await startRabbitMq(dir, identities)],
    }
    const found = Object.entries(installed).flatMap(([name, started]) => {
      const running = started.filter((one) => one !== null)
      if (running.length === 0) missing.push(`${name} is not installed on this machine, so it is not compared.`)
      return running
    })
    return [await startBare(), await startAedes(), ...found]
  }
  const ingest = wanted('ingest')
    ? await measureIngest({ tocsin, peers: await peersOf(), identities, say }, plan.ingest)
    : null

  const pressed = async () => {
    const once = { ...plan.ingest, rounds: 1 }
    const known = ingest ?? (await measureIngest({ tocsin, peers: [], identities, say }, once, [shapes[0]]))
    const telemetry = identities.slice(0, shapes[0].connections)
    return measurePress({ tocsin, telemetry, say }, known[0]!.rates[0]!.median, plan.press)
  }
  const press = wanted('press') ? await pressed() : null
  const deadlines = wanted('deadlines') ? await measureDeadlines({ tocsin, say }, plan.deadlines) : null
  await tocsin.stop()
  return { ingest, press, deadlines }
}

/** One user per connection, as with trackers. */
async function publishers(tocsin: Tocsin): Promise<Identity[]> {
  const application = await tocsin.createApplication('bench')
  return tocsin.createUsers(application, 'tracker', Math.max(...shapes.map(({ connections }) => connections)), 0)
}

const slowDisk = (plan: Options['plan'], ground: Ground, missing: string[]): Promise<Figures['slowDisk']> =>
  orMissing('The slow disk is', missing, () => measureSlowDisk(ground, plan.slowDisk))

const nodes = (plan: Options['plan'], ground: Ground, missing: string[]): Promise<Figures['nodes']> =>
  orMissing('A site of several nodes is', missing, () => measureNodes(ground, plan.nodes))

/** Null where this machine lacks what the measurement needs; then the report says so. */
async function orMissing<F>(what: string, missing: string[], run: () => Promise<F>): Promise<F | null> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error
    missing.push(`${what} not measured: it ${error.message}.`)
    return null
  }
}
